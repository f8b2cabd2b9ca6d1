import { createHmac } from "node:crypto";

/** Where somebody is told, and the secret that proves who tells. */
export interface Webhook {
  readonly url: string;
  /** What the signature is made with: bytes, or their base64 behind `whsec_`. */
  readonly secret: string;
}

export interface WebhookMessage {
  /** The same for each attempt, so that a receiver can tell a repetition. */
  readonly id: string;
  readonly body: string;
}

/** The message did not reach anybody, or was not taken. */
export class WebhookFailed extends Error {
  override readonly name = "WebhookFailed";
  readonly code = "webhook_failed";
}

const TIMEOUT_MS = 10_000;

/**
 * Posts a message once, signed as Standard Webhooks says (https://www.standardwebhooks.com): headers `webhook-id`,
 * `webhook-timestamp` and `webhook-signature`, an HMAC-SHA256 of the three parts. A redirect is not followed.
 *
 * @throws WebhookFailed for anything but a 2xx answer within ten seconds.
 */
export async function post(
  { url, secret }: Webhook,
  { id, body }: WebhookMessage,
  { signal, now = Date.now }: { readonly signal?: AbortSignal; readonly now?: () => number } = {},
): Promise<void> {
  const timestamp = String(Math.floor(now() / 1000));
  const limit = AbortSignal.timeout(TIMEOUT_MS);
  let status: number;
  try {
    const answer = await fetch(url, {
      method: "POST",
      body,
      redirect: "manual",
      signal: signal === undefined ? limit : AbortSignal.any([signal, limit]),
      headers: {
        "content-type": "application/json",
        "user-agent": "salvor",
        "webhook-id": id,
        "webhook-timestamp": timestamp,
        "webhook-signature": `v1,${signatureOf(secret, `${id}.${timestamp}.${body}`)}`,
      },
    });
    status = answer.status;
    await answer.body?.cancel();
  } catch (cause) {
    const why = cause instanceof Error && cause.cause instanceof Error ? cause.cause.message : String(cause);
    throw new WebhookFailed(`no answer: ${why}`, { cause });
  }
  if (status < 200 || status > 299) throw new WebhookFailed(`it was answered with status ${status}`);
}

function signatureOf(secret: string, text: string): string {
  const key = secret.startsWith("whsec_") ? Buffer.from(secret.slice("whsec_".length), "base64") : secret;
  return createHmac("sha256", key).update(text).digest("base64");
}
