/** What an upload is expected to manage at least, in bytes a second. */
const BYTES_PER_SECOND = 1024 * 1024;
/** For a slow moment, and for those who begin late. */
const RESERVE = 1.5;

export const MIN_LIFETIME_SECONDS = 15 * 60;
export const MAX_LIFETIME_SECONDS = 12 * 60 * 60;

/** Bytes that credentials of the longest lifetime suffice for. */
export const MAX_BYTES_PER_SET = (MAX_LIFETIME_SECONDS / RESERVE) * BYTES_PER_SECOND;

/** Seconds that credentials for this many bytes are valid: at least 15 minutes, at most 12 hours (specification, Limits), whole minutes. */
export function credentialLifetime(bytes: number): number {
  const minutes = Math.ceil(((bytes / BYTES_PER_SECOND) * RESERVE) / 60);
  return Math.min(MAX_LIFETIME_SECONDS, Math.max(MIN_LIFETIME_SECONDS, minutes * 60));
}
