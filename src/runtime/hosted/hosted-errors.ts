/** This server performs no tools. Nothing was recorded. */
export class NoTools extends Error {
  override readonly name = "NoTools";
  readonly code = "no_tools";
}

/** This server is stopping: it begins no call, and gives up those that are not over in time. */
export class Stopping extends Error {
  override readonly name = "Stopping";
  readonly code = "stopping";
}

/** The tool's own schema has not said in time whether it accepts the input. Nothing was recorded. */
export class JudgingTimeout extends Error {
  override readonly name = "JudgingTimeout";
  readonly code = "judging_timeout";
  constructor(
    readonly tool: string,
    readonly timeoutMs: number,
  ) {
    super(`the input schema of ${tool} did not judge the input within ${timeoutMs} ms`);
  }
}
