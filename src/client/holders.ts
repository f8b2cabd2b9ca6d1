/** Who holds each drive token in this process. The server cannot tell two holders of one token apart, so the later one wins. */
const holders = new Map<string, WeakRef<object>>();

const forgotten = new FinalizationRegistry<{ readonly token: string; readonly holder: WeakRef<object> }>(
  ({ token, holder }) => {
    if (holders.get(token) === holder) holders.delete(token);
  },
);

/** Makes `holder` the one that drives under a token in this process; one before it no longer is. */
export function hold(token: string, holder: object): void {
  const reference = new WeakRef(holder);
  holders.set(token, reference);
  forgotten.register(holder, { token, holder: reference });
}

export function isHeldBy(token: string, holder: object): boolean {
  return holders.get(token)?.deref() === holder;
}
