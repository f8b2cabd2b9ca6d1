export type {
  AppendUnit,
  CallHolder,
  EventStore,
  Execution,
  IdentityChange,
  RefusedReport,
  RunOwnership,
  RunRecord,
  RunSummary,
  RunSummaryContent,
  StoreHealth,
  SummaryPage,
  SummaryQuery,
} from "./event-store.js";
export { KEPT_REPORTS } from "./event-store.js";
export {
  Conflict,
  ForeignRun,
  LeaseLost,
  NotTerminal,
  RunErased,
  StoreUnavailable,
  TamperEvident,
  UnknownCursor,
} from "./errors.js";
export { openLowdbStore, type LowdbStoreOptions } from "./open-lowdb-store.js";
export { FolderLocked, FormatTooNew, StoreCorrupt } from "./lowdb-errors.js";
export type { AppendFile, FileStat, WriteLayer } from "./write-layer.js";
export { storeConformance, type ConformanceCheck } from "./conformance.js";
export type { StoreUnderTest } from "./conformance/subject.js";
