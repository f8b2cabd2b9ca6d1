import type { AppendUnit } from "./event-store.js";

/** An append that claims an identity for the call at `seq`. */
export function claiming(identity: string, seq: number): AppendUnit {
  return { identities: [{ change: "claim", identity, seq }] };
}

/** An append that settles an identity. */
export function settling(identity: string): AppendUnit {
  return { identities: [{ change: "settle", identity }] };
}

/** An append that frees an identity. */
export function releasing(identity: string): AppendUnit {
  return { identities: [{ change: "release", identity }] };
}

/** What several units do to identities, in their order, as one. */
export function together(...units: readonly AppendUnit[]): AppendUnit {
  return { identities: units.flatMap(({ identities = [] }) => identities) };
}
