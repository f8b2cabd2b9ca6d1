import { useEffect, useState } from "preact/hooks";

/** Whether the server answers: as far as is known, not, and again after it did not. */
export type ConnectionState = "there" | "gone" | "back";

type Listener = (state: ConnectionState) => void;

/** How long it is said that the server is back, in milliseconds. */
const SAY_BACK_MS = 10_000;

/** What all requests of the page found out about the server. */
class Connection {
  #state: ConnectionState = "there";
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #listeners = new Set<Listener>();

  get state(): ConnectionState {
    return this.#state;
  }

  /** A request got no answer. */
  lost(): void {
    clearTimeout(this.#timer);
    this.#change("gone");
  }

  /** The server answered, whatever it said. */
  answered(): void {
    if (this.#state !== "gone") return;
    this.#change("back");
    this.#timer = setTimeout(() => {
      this.#change("there");
    }, SAY_BACK_MS);
  }

  subscribe(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  #change(state: ConnectionState): void {
    if (state === this.#state) return;
    this.#state = state;
    for (const listener of this.#listeners) listener(state);
  }
}

export const connection = new Connection();

export function useConnection(): ConnectionState {
  const [state, setState] = useState(connection.state);
  useEffect(() => connection.subscribe(setState), []);
  return state;
}
