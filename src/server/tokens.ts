import { hash, randomBytes, timingSafeEqual } from "node:crypto";

/** SHA-256 of a secret, lower-case hex: the only form in which a secret is kept. */
export function hashSecret(secret: string): string {
  return hash("sha256", secret, "hex");
}

/** Whether a secret has this hash. Takes the same time whatever the secret is. */
export function secretMatches(secret: string, hashed: string): boolean {
  return timingSafeEqual(hash("sha256", secret, "buffer"), Buffer.from(hashed, "hex"));
}

/** A new drive token: `dt_` and 32 hex digits from a CSPRNG. */
export function newDriveToken(): string {
  return `dt_${randomBytes(16).toString("hex")}`;
}
