/** What `fetch` and the system say of a connection that was never made. */
const CODES: ReadonlySet<unknown> = new Set([
  "UND_ERR_CONNECT_TIMEOUT",
  "ENOTFOUND",
  "EAI_AGAIN",
  "ECONNREFUSED",
]);

/** Whether a request failed because there was no connection to send it on: no other failure says that nothing was sent. */
export function hasNeverConnected(error: unknown): boolean {
  for (let at = error, links = 0; at instanceof Error && links < 5; at = at.cause, links += 1) {
    if (at instanceof AggregateError && at.errors.length > 0) return at.errors.every(isNoConnection);
    if (isNoConnection(at)) return true;
  }
  return false;
}

function isNoConnection(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, syscall } = error as NodeJS.ErrnoException;
  return CODES.has(code) || syscall === "connect" || syscall === "getaddrinfo";
}
