export type {
  AppendUnit,
  CallHolder,
  DriverPresence,
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
  WaitNotices,
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
export { openLowdbStore, type LowdbStoreOptions, type RecoveryReport } from "./open-lowdb-store.js";
export { openPostgresStore, type PostgresStoreOptions } from "./open-postgres-store.js";
export { DatabaseRefused, SchemaTooNew } from "./postgres/errors.js";
export { FolderLocked, FormatTooNew, StoreCorrupt } from "./lowdb-errors.js";
export type { AppendFile, FileStat, WriteLayer } from "./write-layer.js";
export { keepFor, type RetentionOptions } from "./retention.js";
export { storeConformance, type ConformanceCheck } from "./conformance.js";
export type { StoreUnderTest } from "./conformance/subject.js";
