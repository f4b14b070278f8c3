import { createHmac } from 'node:crypto';
import { equalInConstantTime } from '../../../shared/secrets/index.js';

/** RFC 6238: SHA-1, 6 digits, 30 seconds, which every authenticator app supports. */
const STEP_SECONDS = 30;
const DIGITS = 6;

/** RFC 4226 section 4 recommends 160 bits. */
export const TOTP_SECRET_BYTES = 20;

/** The alphabet of RFC 4648 section 6. */
export const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** Base32 without padding (RFC 4648 section 6). */
export function base32(bytes: Uint8Array): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  const groups = bits.match(/.{1,5}/g) ?? [];
  return groups.map((group) => BASE32[Number.parseInt(group.padEnd(5, '0'), 2)]).join('');
}

/** The time step of a moment (RFC 6238 section 4.2). */
export const timeStep = (now: Date): number => Math.floor(now.getTime() / 1_000 / STEP_SECONDS);

/** The code of a time step (RFC 4226 section 5.3), with leading zeros. */
export function totpCode(secret: Uint8Array, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac('sha1', secret).update(counter).digest();
  const offset = mac.readUInt8(mac.length - 1) & 0x0f;
  const number = (mac.readUInt32BE(offset) & 0x7fffffff) % 10 ** DIGITS;
  return String(number).padStart(DIGITS, '0');
}

/** The step whose code this is: the current one or the one before (RFC 6238 section 5.2), because typing takes time; null for a wrong code. */
export function matchingStep(secret: Uint8Array, code: string, now: Date): number | null {
  const current = timeStep(now);
  const matching = [current, current - 1].filter((step) => equalInConstantTime(totpCode(secret, step), code));
  return matching[0] ?? null;
}

/** The address that a QR code passes to an authenticator app (Key Uri Format). Apps show `issuer` and `account`. */
export function otpauthUrl(secret: Uint8Array, { issuer, account }: { issuer: string; account: string }): string {
  const label = [issuer, account].map(encodeURIComponent).join(':');
  return `otpauth://totp/${label}?secret=${base32(secret)}&issuer=${encodeURIComponent(issuer)}`;
}
