import { useCallback, useMemo, useState } from "preact/hooks";
import { type JsonObject, type JsonSchema, type JsonValue } from "../../contract/json.js";
import { pathText, type JsonPath } from "../../contract/json-path.js";
import type { Violation } from "../../contract/validator.js";
import { jsonEqual } from "../../log/json-equal.js";
import { JsonSyntaxError } from "../../log/json-syntax-error.js";
import { parseJson } from "../../log/parse-json.js";
import { lineJson, prettyJson } from "../ui/json-text.js";
import { missingIn, startOf, valueAt, withValueAt } from "./values.js";

/** What was typed into a field, where a value alone would not give it back, and what is wrong with it. */
export interface Draft {
  readonly text: string;
  readonly problem: string;
}

interface State {
  readonly value: JsonValue | undefined;
  /** The same value as text; another one while what is typed there is no JSON. */
  readonly raw: string;
  readonly rawProblem: string;
  readonly drafts: ReadonlyMap<string, Draft>;
}

export interface Form extends State {
  readonly schema: JsonSchema;
  /** Members whose values are not for a person to choose. */
  readonly pins: JsonObject;
  /** What is wrong, by the place where it is. */
  readonly problems: ReadonlyMap<string, readonly string[]>;
  readonly set: (path: JsonPath, value: JsonValue | undefined, draft?: Draft) => void;
  readonly setRaw: (text: string) => void;
  /** Looks for what can be told here, and shows it. Answers the value when there is nothing. */
  readonly check: () => { readonly value: JsonValue } | undefined;
  /** Shows what the server found. */
  readonly refuse: (violations: readonly Violation[]) => void;
}

/** A value of a schema as a person makes it, in fields and as JSON, both always saying the same. */
export function useForm(schema: JsonSchema, pins: JsonObject): Form {
  const [state, setState] = useState<State>(() => {
    let value = startOf(schema, schema);
    for (const [name, pinned] of Object.entries(pins)) value = withValueAt(value, [name], pinned);
    return { value, raw: rawOf(value), rawProblem: "", drafts: new Map() };
  });
  const [found, setFound] = useState<readonly Violation[]>([]);

  const set = useCallback((path: JsonPath, value: JsonValue | undefined, draft?: Draft): void => {
    setState((before) => {
      const next = withValueAt(before.value, path, value);
      const drafts = new Map(before.drafts);
      const place = pathText(path);
      // What stood below a place that has another value now is typed no more.
      for (const key of drafts.keys()) if (key.startsWith(place)) drafts.delete(key);
      if (draft !== undefined) drafts.set(place, draft);
      return { value: next, raw: rawOf(next), rawProblem: "", drafts };
    });
    setFound((before) => before.filter((one) => one.path !== pathText(path)));
  }, []);

  const setRaw = useCallback((raw: string): void => {
    const read = readJson(raw);
    setState((before) =>
      read.problem === ""
        ? { value: read.value, raw, rawProblem: "", drafts: new Map() }
        : { ...before, raw, rawProblem: read.problem },
    );
    setFound([]);
  }, []);

  const wrongPins = useMemo(() => pinsBroken(pins, state.value), [pins, state.value]);
  const problems = useMemo(
    () => gathered([...wrongPins, ...found], state.drafts),
    [wrongPins, found, state.drafts],
  );

  const check = useCallback(() => {
    const { value, rawProblem, drafts } = state;
    const missing = missingIn(schema, value, schema).map((path) => ({
      path: pathText(path),
      message: "This is required.",
    }));
    const others = missing.filter(({ path }) => !drafts.has(path) || drafts.get(path)?.problem === "");
    const nothing = value === undefined ? [{ path: "$", message: "Nothing is given yet." }] : [];
    setFound([...nothing, ...others]);
    const isTyped = [...drafts.values()].every(({ problem }) => problem === "");
    const isWhole = rawProblem === "" && isTyped && missing.length === 0 && wrongPins.length === 0;
    return isWhole && value !== undefined ? { value } : undefined;
  }, [schema, state, wrongPins]);

  return { ...state, schema, pins, problems, set, setRaw, check, refuse: setFound };
}

function rawOf(value: JsonValue | undefined): string {
  return value === undefined ? "" : prettyJson(value);
}

/** JSON as a person types it; what a double would round is a problem, as it is for the server. */
export function readJson(text: string): { readonly value: JsonValue | undefined; readonly problem: string } {
  if (text.trim() === "") return { value: undefined, problem: "" };
  try {
    return { value: parseJson(text), problem: "" };
  } catch (error) {
    if (error instanceof JsonSyntaxError) return { value: undefined, problem: error.message };
    throw error;
  }
}

function pinsBroken(pins: JsonObject, value: JsonValue | undefined): readonly Violation[] {
  return Object.entries(pins).flatMap(([name, pinned]) => {
    const given = valueAt(value, [name]);
    if (given !== undefined && jsonEqual(given, pinned)) return [];
    return [
      {
        path: pathText([name]),
        message: `This is pinned: it has to be ${lineJson(pinned)}, as in the input.`,
      },
    ];
  });
}

/** A member that is missing is said to be so where it would stand. */
function placeOf({ path, message }: Violation): string {
  const name = /^expected a member ("(?:[^"\\]|\\.)*"), /.exec(message)?.[1];
  if (name === undefined) return path;
  try {
    return path + pathText([JSON.parse(name) as string]).slice(1);
  } catch {
    return path;
  }
}

function gathered(
  found: readonly Violation[],
  drafts: ReadonlyMap<string, Draft>,
): ReadonlyMap<string, readonly string[]> {
  const problems = new Map<string, readonly string[]>();
  const add = (place: string, message: string): void => {
    problems.set(place, [...(problems.get(place) ?? []), message]);
  };
  for (const [place, { problem }] of drafts) if (problem !== "") add(place, problem);
  for (const violation of found) add(placeOf(violation), violation.message);
  return problems;
}
