import { useEffect, useId, useState } from "preact/hooks";
import { RUN_STATES, type RunStateName } from "../../log/fold.js";
import { go } from "../router.js";
import { useTools } from "../tools/use-tools.js";
import { stateWords } from "../ui/badge.js";
import { cut, visible } from "../ui/visible.js";

export function isRunState(state: string): state is RunStateName {
  return RUN_STATES.some((known) => known === state);
}

/** How long after the last key a filter that is typed is applied, in milliseconds. */
const TYPED_MS = 300;

/** Which runs are wanted. It stands in the address, so that a list can be sent to somebody. */
export function RunFilters({ parameters }: { readonly parameters: URLSearchParams }) {
  const { byName } = useTools();
  const set = (name: string, value: string): void => {
    const changed = new URLSearchParams(parameters);
    changed.delete("after");
    if (value === "") changed.delete(name);
    else changed.set(name, value);
    const text = changed.toString();
    go(text === "" ? "/runs" : `/runs?${text}`, "replace");
  };
  const shared = (name: string) => ({
    value: parameters.get(name) ?? "",
    onSet: (value: string) => set(name, value),
  });
  return (
    <form class="filters" role="search" aria-label="Filter runs" onSubmit={(event) => event.preventDefault()}>
      <Choice
        label="Group"
        {...shared("group")}
        options={[
          ["", "all"],
          ["waiting", "waiting for a person"],
          ["progress", "in progress"],
          ["terminal", "ended"],
        ]}
      />
      <Choice
        label="State"
        {...shared("status")}
        options={[["", "any"], ...RUN_STATES.map((state) => [state, stateWords(state)] as const)]}
      />
      <Choice
        label="Open call of"
        {...shared("tool")}
        options={[
          ["", "any tool"],
          ...[...byName.keys()].map((name) => [name, cut(visible(name), 60)] as const),
        ]}
      />
      <Typed label="Label" placeholder="key or key=value" {...shared("label")} />
      <Choice
        label="Order"
        {...shared("order")}
        options={[
          ["", "newest first"],
          ["oldest", "oldest first"],
        ]}
      />
    </form>
  );
}

interface FilterProps {
  readonly label: string;
  readonly value: string;
  readonly onSet: (value: string) => void;
}

function Choice({
  label,
  value,
  onSet,
  options,
}: FilterProps & { readonly options: readonly (readonly [string, string])[] }) {
  const id = useId();
  return (
    <div class="filter">
      <label for={id}>{label}</label>
      <select id={id} value={value} onChange={(event) => onSet(event.currentTarget.value)}>
        {options.map(([option, words]) => (
          <option key={option} value={option}>
            {words}
          </option>
        ))}
      </select>
    </div>
  );
}

function Typed({ label, value, onSet, placeholder }: FilterProps & { readonly placeholder: string }) {
  const id = useId();
  const [typed, setTyped] = useState(value);
  useEffect(() => {
    if (typed === value) return undefined;
    const timer = setTimeout(() => onSet(typed.trim()), TYPED_MS);
    return () => {
      clearTimeout(timer);
    };
  }, [typed]);
  return (
    <div class="filter">
      <label for={id}>{label}</label>
      <input
        id={id}
        autocomplete="off"
        placeholder={placeholder}
        value={typed}
        onInput={(event) => setTyped(event.currentTarget.value)}
      />
    </div>
  );
}
