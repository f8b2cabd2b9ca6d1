/** The first quartile, the median and the third quartile. */
export function quartiles(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return [0.25, 0.5, 0.75].map((part) => sorted[Math.round((sorted.length - 1) * part)]);
}
