/** The candidate that a misspelled word most likely means, or `undefined` when none is near. */
export function didYouMean(word: string, candidates: Iterable<string>): string | undefined {
  let nearest: string | undefined;
  let least = Math.max(1, Math.floor(word.length / 3)) + 1;
  for (const candidate of candidates) {
    // A long word is no misspelling of a short one, and measuring it would take long.
    if (Math.abs(candidate.length - word.length) >= least) continue;
    const distance = edits(word.toLowerCase(), candidate.toLowerCase());
    if (distance < least) [nearest, least] = [candidate, distance];
  }
  return nearest;
}

/** How many single characters have to be changed, added or left out, or neighbours swapped, to get from one word to the other. */
function edits(from: string, to: string): number {
  let before: readonly number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (let row = 1; row <= from.length; row += 1) {
    const next = [row];
    for (let column = 1; column <= to.length; column += 1) {
      const same = from[row - 1] === to[column - 1] ? 0 : 1;
      const swapped =
        row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]
          ? (before[column - 2] ?? Infinity) + 1
          : Infinity;
      next.push(
        Math.min(
          (last[column] ?? 0) + 1,
          (next[column - 1] ?? 0) + 1,
          (last[column - 1] ?? 0) + same,
          swapped,
        ),
      );
    }
    before = last;
    last = next;
  }
  return last[to.length] ?? 0;
}
