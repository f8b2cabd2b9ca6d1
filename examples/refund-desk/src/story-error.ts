/** The story went otherwise than it should. */
export class StoryError extends Error {
  override readonly name = "StoryError";
}

/** @throws {@link StoryError} unless it is so. */
export function mustBe(so: boolean, what: string): asserts so {
  if (!so) throw new StoryError(`not as it should be: ${what}`);
}
