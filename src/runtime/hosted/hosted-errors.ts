/** This server performs no tools. Nothing was recorded. */
export class NoTools extends Error {
  override readonly name = "NoTools";
  readonly code = "no_tools";
}

/** This server is stopping: it begins no call, and gives up those that are not over in time. */
export class Stopping extends Error {
  override readonly name = "Stopping";
  readonly code = "stopping";
}
