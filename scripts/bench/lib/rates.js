/** How often per second so many callers are answered, each asking again as soon as it is. */
export async function rate(callers, milliseconds, call) {
  let done = 0;
  const start = performance.now();
  const worker = async (_, caller) => {
    while (performance.now() - start < milliseconds) {
      await call(caller);
      done += 1;
    }
  };
  await Promise.all(Array.from({ length: callers }, worker));
  return (done * 1000) / (performance.now() - start);
}
