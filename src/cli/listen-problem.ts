/** Why an address cannot be listened on, in words that go on from "cannot listen on ...: ". */
export function listenProblem(cause: unknown): string {
  switch ((cause as NodeJS.ErrnoException).code) {
    case "EADDRINUSE":
      return "the port is in use by another process";
    case "EACCES":
      return "this user may not bind that port";
    case "EADDRNOTAVAIL":
      return "this machine does not have that address";
    default:
      return cause instanceof Error ? cause.message : String(cause);
  }
}
