import { isIP } from 'node:net';
import { ValidateBy } from 'class-validator';
import { presupposes } from '../../../shared/validation/index.js';

export type AddressFamily = 'ipv4' | 'ipv6';

const RANGE = /^([\d.:a-f]+)(?:\/(0|[1-9]\d{0,2}))?$/i; // no zone (`%eth0`), which says something on one machine only

/** The family of a CIDR range; a single address counts as a range of one. Null: it is neither. */
export function familyOfRange(range: unknown): AddressFamily | null {
  const [, address = '', bits] = (typeof range === 'string' && RANGE.exec(range)) || [];
  const family = isIP(address);
  if (family === 0 || Number(bits ?? 0) > (family === 4 ? 32 : 128)) return null;
  return family === 4 ? 'ipv4' : 'ipv6';
}

/** The message for text that is not an address range. */
export const CIDR_MESSAGE = 'cidr must be a range in CIDR notation (192.0.2.0/24, 2001:db8::/32) or one address';

export const IsAddressRange = (): PropertyDecorator =>
  ValidateBy(
    { name: 'isCidr', validator: { validate: (value) => familyOfRange(value) !== null, defaultMessage: () => CIDR_MESSAGE } },
    presupposes('text'),
  );
