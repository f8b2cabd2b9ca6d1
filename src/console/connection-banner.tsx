import { useConnection } from "./connection.js";

/** Says when what is shown may be old, and when it is not any more. */
export function ConnectionBanner() {
  const state = useConnection();
  return (
    <div class="connection" role="status">
      {state === "gone" && (
        <p class="banner banner-bad">
          The server does not answer. What you see may be old; this page goes on by itself when it is back.
        </p>
      )}
      {state === "back" && (
        <p class="banner banner-good">The server is back, and what you see is what it says now.</p>
      )}
    </div>
  );
}
