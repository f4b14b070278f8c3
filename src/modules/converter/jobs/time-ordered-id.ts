import { randomBytes } from 'node:crypto';

/** A UUID of version 7 (RFC 9562 section 5.7): of two that are made in different milliseconds the earlier one is the smaller. */
export function timeOrderedId(now: Date): string {
  const time = now.getTime().toString(16).padStart(12, '0');
  const random = randomBytes(10);
  random[0] = 0x70 | ((random[0] ?? 0) & 0x0f);
  random[2] = 0x80 | ((random[2] ?? 0) & 0x3f);
  const digits = time + random.toString('hex');
  return [digits.slice(0, 8), digits.slice(8, 12), digits.slice(12, 16), digits.slice(16, 20), digits.slice(20)].join('-');
}
