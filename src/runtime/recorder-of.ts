import type { EventStore } from "../store/event-store.js";
import { Recorder } from "./recorder.js";

const RECORDERS = new WeakMap<EventStore, Recorder>();

/** The recorder to use: one for each store, so that all work of this process on a run goes through one queue. */
export function recorderOf(where: EventStore | Recorder): Recorder {
  if (where instanceof Recorder) return where;
  const recorder = RECORDERS.get(where) ?? new Recorder(where);
  RECORDERS.set(where, recorder);
  return recorder;
}
