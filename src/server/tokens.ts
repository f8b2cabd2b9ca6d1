import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

/** SHA-256 of a secret, lower-case hex: the only form in which a secret is kept. */
export function hashSecret(secret: string): string {
  return createHash("sha256").update(secret, "utf8").digest("hex");
}

/** Whether a secret has this hash. Takes the same time whatever the secret is. */
export function secretMatches(secret: string, hash: string): boolean {
  return timingSafeEqual(Buffer.from(hashSecret(secret), "hex"), Buffer.from(hash, "hex"));
}

/** A new drive token: `dt_` and 32 hex digits from a CSPRNG. */
export function newDriveToken(): string {
  return `dt_${randomBytes(16).toString("hex")}`;
}
