import { useCallback, useMemo, useState } from "preact/hooks";
import { type JsonObject, type JsonSchema, type JsonValue } from "../../contract/json.js";
import { pathText, type JsonPath } from "../../contract/json-path.js";
import type { Violation } from "../../contract/validator.js";
import { jsonEqual } from "../../log/json-equal.js";
import { differencesOf, type Difference } from "../ui/differences.js";
import { useKept } from "../drafts.js";
import { lineJson, prettyJson } from "../ui/json-text.js";
import { misspelledIn } from "./misspelled.js";
import { readJson } from "./read-json.js";
import { NOT_WHOLE } from "./typed-number.js";
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
  /** What is said otherwise than was asked for, by the place where it is. It may be right all the same. */
  readonly differences: ReadonlyMap<string, Difference>;
  /** What is wrong, by the place where it is. */
  readonly problems: ReadonlyMap<string, readonly string[]>;
  readonly set: (path: JsonPath, value: JsonValue | undefined, draft?: Draft) => void;
  readonly setRaw: (text: string) => void;
  /** Looks for what can be told here, and shows it. Answers the value when there is nothing. */
  readonly check: () => { readonly value: JsonValue } | undefined;
  /** Shows what the server found. */
  readonly refuse: (violations: readonly Violation[]) => void;
}

/** What a form is for. */
export interface FormPurpose {
  /** Names it among the drafts. */
  readonly draft: string;
  readonly schema: JsonSchema;
  readonly pins: JsonObject;
  /** What was asked for, which the value is held against; nothing where it answers no call. */
  readonly asked?: JsonValue | undefined;
  /** What is wrong with a value besides its schema. */
  readonly judge?: ((value: JsonValue | undefined) => readonly Violation[]) | undefined;
}

/** A value of a schema as a person makes it, in fields and as JSON, both always saying the same. */
export function useForm({ draft, schema, pins, asked, judge }: FormPurpose): Form {
  const [state, setState] = useKept<State>(`${draft} value`, () => {
    let value = startOf(schema, schema);
    for (const [name, pinned] of Object.entries(pins)) value = withValueAt(value, [name], pinned);
    return { value, raw: rawOf(value), rawProblem: "", drafts: new Map() };
  });
  const [found, setFound] = useState<readonly Violation[]>([]);
  const [judged, setJudged] = useState<readonly Violation[]>([]);

  const set = useCallback((path: JsonPath, value: JsonValue | undefined, draft?: Draft): void => {
    setState((before) => {
      const next = withValueAt(before.value, path, value);
      const drafts = new Map(before.drafts);
      const place = pathText(path);
      // What stood below a place that has another value now is typed no more.
      for (const key of drafts.keys()) if (isAtOrBelow(key, place)) drafts.delete(key);
      if (draft !== undefined) drafts.set(place, draft);
      return { value: next, raw: rawOf(next), rawProblem: "", drafts };
    });
    setFound((before) => before.filter((one) => one.path !== pathText(path)));
    setJudged([]);
  }, []);

  const setRaw = useCallback((raw: string): void => {
    const read = readJson(raw);
    setState((before) =>
      read.problem === "" ? readAs(raw, read.value, schema) : { ...before, raw, rawProblem: read.problem },
    );
    setFound([]);
    setJudged([]);
  }, []);

  const wrongPins = useMemo(() => pinsBroken(pins, state.value), [pins, state.value]);
  const problems = useMemo(
    () => gathered([...wrongPins, ...found, ...judged], state.drafts),
    [wrongPins, found, judged, state.drafts],
  );

  const differences = useMemo(
    () =>
      new Map(
        differencesOf(asked, state.value)
          .filter(({ place }) => !wrongPins.some(({ path }) => path === place))
          .map((each) => [each.place, each]),
      ),
    [asked, state.value, wrongPins],
  );

  const check = useCallback(() => {
    const { value, rawProblem, drafts } = state;
    const missing = missingIn(schema, value, schema).map((path) => ({
      path: pathText(path),
      message: "This is required.",
    }));
    const others = missing.filter(({ path }) => !drafts.has(path) || drafts.get(path)?.problem === "");
    const nothing = value === undefined ? [{ path: "$", message: "Nothing is given yet." }] : [];
    const against = judge?.(value) ?? [];
    setJudged(against);
    setFound([...nothing, ...others]);
    const isTyped = [...drafts.values()].every(({ problem }) => problem === "");
    const isSound = missing.length === 0 && wrongPins.length === 0 && against.length === 0;
    return rawProblem === "" && isTyped && isSound && value !== undefined ? { value } : undefined;
  }, [schema, state, wrongPins, judge]);

  return { ...state, schema, pins, differences, problems, set, setRaw, check, refuse: setFound };
}

/** Whether what stands at one place is in what stands at another: `$.a.b` is in `$.a`, and `$.ab` is not. */
function isAtOrBelow(place: string, other: string): boolean {
  return place === other || place.startsWith(`${other}.`) || place.startsWith(`${other}[`);
}

function rawOf(value: JsonValue | undefined): string {
  return value === undefined ? "" : prettyJson(value);
}

/** What was written as JSON. A number that may have been meant as another one is none yet, as if it were typed into its field. */
function readAs(raw: string, read: JsonValue | undefined, schema: JsonSchema): State {
  let value = read;
  const drafts = new Map<string, Draft>();
  for (const { path, text } of misspelledIn(raw, read, schema)) {
    value = withValueAt(value, path, undefined);
    drafts.set(pathText(path), { text, problem: NOT_WHOLE });
  }
  return { value, raw, rawProblem: "", drafts };
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
