import { isISO8601, ValidateBy, ValidateIf } from 'class-validator';
import { presupposes } from './value-types.js';

/** The rules of this member hold unless it is absent or null. */
export const UnlessNull = (): PropertyDecorator => ValidateIf((_, value) => value !== undefined && value !== null);

/** The rules of this member hold unless it is absent. */
export const UnlessAbsent = (): PropertyDecorator => ValidateIf((_, value) => value !== undefined);

/** Without its offset a moment would depend on where the service runs. */
const MOMENT = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d))?$/;

/** A moment in ISO 8601 with its offset, or a date, which means its first moment in UTC. */
export const IsMoment = (): PropertyDecorator =>
  ValidateBy(
    {
      name: 'isMoment',
      validator: {
        validate: (value: unknown) => typeof value === 'string' && MOMENT.test(value) && isISO8601(value, { strict: true }),
        defaultMessage: () => '$property must be a moment with its offset (2030-01-31T18:00:00Z), a date (2030-01-31) or null',
      },
    },
    presupposes('text'),
  );

/** What such a member says: undefined and null stay what they are. */
export const toMoment = (text: string | null | undefined): Date | null | undefined => (typeof text === 'string' ? new Date(text) : text);

/** The last second of the year 9999, in Unix seconds. */
export const MAX_UNIX_SECONDS = 253_402_300_799;

export const toUnixSeconds = (moment: Date | null): number | null => moment && Math.floor(moment.getTime() / 1_000);

export const fromUnixSeconds = (seconds: number | null | undefined): Date | null =>
  seconds === undefined || seconds === null ? null : new Date(seconds * 1_000);

/** The largest number of a PostgreSQL integer column, ids among them; PostgreSQL refuses to compare with more. */
export const MAX_ID = 2_147_483_647;

/** Whether a value is a number that a column of ids can hold. */
export const isId = (value: unknown): value is number => Number.isInteger(value) && Number(value) > 0 && Number(value) <= MAX_ID;
