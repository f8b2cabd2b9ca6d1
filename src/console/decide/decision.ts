import type { JsonValue } from "../../contract/json.js";
import type { SalvorClient } from "../../client/salvor-client.js";
import { prettyJson } from "../ui/json-text.js";

/** What a person has decided about what a run waits for, at the position that they looked at. */
export type Decision =
  | {
      readonly kind: "happened";
      readonly seq: number;
      readonly output: JsonValue;
      readonly note: string;
      readonly operator: string;
    }
  | { readonly kind: "not_performed"; readonly seq: number; readonly note: string; readonly operator: string }
  | { readonly kind: "resume"; readonly seq: number; readonly input: JsonValue }
  | { readonly kind: "abandon"; readonly seq: number | undefined; readonly reason: string };

/** Has a decision recorded. Never twice by itself. */
export async function send(client: SalvorClient, run: string, decision: Decision): Promise<void> {
  switch (decision.kind) {
    case "happened": {
      const { seq, output } = decision;
      await client.resolve(run, { seq, output, ...saidIn(decision) });
      return;
    }
    case "not_performed":
      await client.resolve(run, { seq: decision.seq, not_performed: true, ...saidIn(decision) });
      return;
    case "resume":
      await client.resume(run, { seq: decision.seq, input: decision.input });
      return;
    case "abandon": {
      const { seq, reason } = decision;
      await client.abandon(run, { ...(seq !== undefined && { seq }), ...(reason !== "" && { reason }) });
    }
  }
}

interface Said {
  readonly note?: string;
  readonly operator?: string;
}

function saidIn({ note, operator }: { readonly note: string; readonly operator: string }): Said {
  return { ...(note !== "" && { note }), ...(operator !== "" && { operator }) };
}

/** The same decision on a command line. The token is not in it, only the variable that holds it. */
export function curlOf(run: string, decision: Decision, hasToken: boolean): string {
  const { verb, body } = bodyOf(decision);
  const lines = [`curl ${location.origin}/v1/runs/${run}/${verb}`];
  if (hasToken) lines.push('-H "Authorization: Bearer $SALVOR_OPERATOR_TOKEN"');
  lines.push(`-d ${quoted(prettyJson(body))}`);
  return lines.join(" \\\n  ");
}

function bodyOf(decision: Decision): { readonly verb: string; readonly body: JsonValue } {
  switch (decision.kind) {
    case "happened":
      return { verb: "resolve", body: { seq: decision.seq, output: decision.output, ...saidIn(decision) } };
    case "not_performed":
      return { verb: "resolve", body: { seq: decision.seq, not_performed: true, ...saidIn(decision) } };
    case "resume":
      return { verb: "resume", body: { seq: decision.seq, input: decision.input } };
    case "abandon": {
      const { seq, reason } = decision;
      return {
        verb: "abandon",
        body: { ...(seq !== undefined && { seq }), ...(reason !== "" && { reason }) },
      };
    }
  }
}

/** A word as a shell reads it back. */
export function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
