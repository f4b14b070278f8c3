import { Transform } from 'class-transformer';

/** A whole number that came as text (a query or path) becomes a number; anything else stays for the validator to refuse. */
export const CastInteger = () =>
  Transform(({ value }: { value: unknown }) => (typeof value === 'string' && /^-?\d{1,15}$/.test(value) ? Number(value) : value));

/** `true` and `false` that came as text become booleans. */
export const CastBoolean = () =>
  Transform(({ value }: { value: unknown }) => (value === 'true' ? true : value === 'false' ? false : value));
