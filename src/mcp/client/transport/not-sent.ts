/** A message that certainly never reached the server, so that nothing can have happened because of it. */
export class NotSent extends Error {
  override readonly name = "NotSent";
}
