import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import type { RunnableConfig } from "@langchain/core/runnables";
import { MemorySaver, type Checkpoint, type CheckpointMetadata } from "@langchain/langgraph";

/** LangGraph's checkpointer in memory, kept in a file: another process goes on from it. */
export class FileSaver extends MemorySaver {
  constructor(private readonly file: string) {
    super();
    if (!existsSync(file)) return;
    const { storage, writes } = JSON.parse(readFileSync(file, "utf8"), reviveBytes) as FileSaver;
    Object.assign(this.storage, storage);
    Object.assign(this.writes, writes);
  }

  override async put(
    config: RunnableConfig,
    checkpoint: Checkpoint,
    metadata: CheckpointMetadata,
  ): Promise<RunnableConfig> {
    const saved = await super.put(config, checkpoint, metadata);
    this.#keep();
    return saved;
  }

  override async putWrites(
    config: RunnableConfig,
    writes: Parameters<MemorySaver["putWrites"]>[1],
    taskId: string,
    taskPath?: string,
  ): Promise<void> {
    await super.putWrites(config, writes, taskId, taskPath);
    this.#keep();
  }

  /** Whoever is killed leaves a whole file. */
  #keep(): void {
    const { storage, writes } = this;
    writeFileSync(`${this.file}.new`, JSON.stringify({ storage, writes }, writeBytes));
    renameSync(`${this.file}.new`, this.file);
  }
}

function writeBytes(_key: string, value: unknown): unknown {
  return value instanceof Uint8Array ? { bytes: Buffer.from(value).toString("base64") } : value;
}

function reviveBytes(_key: string, value: unknown): unknown {
  const { bytes } = (value ?? {}) as { readonly bytes?: unknown };
  return typeof bytes === "string" ? new Uint8Array(Buffer.from(bytes, "base64")) : value;
}
