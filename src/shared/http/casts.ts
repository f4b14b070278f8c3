import { applyDecorators } from '@nestjs/common';
import { Transform } from 'class-transformer';
import { IsBoolean, IsOptional } from 'class-validator';

/** A whole number that came as text (a query or path) becomes a number; anything else stays for the validator to refuse. */
export const CastInteger = () =>
  Transform(({ value }: { value: unknown }) => (typeof value === 'string' && /^-?\d{1,15}$/.test(value) ? Number(value) : value));

const BOOLEANS: ReadonlyMap<unknown, boolean> = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
]);

/** `true`, `false`, `1` and `0` that came as text become booleans; anything else stays for the validator to refuse. */
export const CastBoolean = () => Transform(({ value }: { value: unknown }) => BOOLEANS.get(value) ?? value);

/** A flag of a query that may be left out. */
export const OptionalFlag = (): PropertyDecorator => applyDecorators(IsOptional(), CastBoolean(), IsBoolean());
