import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { type ClassConstructor, plainToInstance, Transform } from 'class-transformer';
import {
  ArrayMaxSize,
  IsArray,
  IsInt,
  IsObject,
  isISO8601,
  Matches,
  Max,
  Min,
  ValidateBy,
  ValidateIf,
  ValidateNested,
} from 'class-validator';
import type { FieldProblem } from '../errors.js';
import { limitsOf } from './input-rule.js';
import { isObject } from './json-members.js';
import type { LimitsContext } from './limits.js';
import { withShortLists } from './plain-values.js';
import { presupposes } from './value-types.js';

/** The other rules of this member are skipped if it is absent or null. */
export const UnlessNull = (): PropertyDecorator => ValidateIf((_, value) => value !== undefined && value !== null);

/** The other rules of this member are skipped if it is absent. */
export const UnlessAbsent = (): PropertyDecorator => ValidateIf((_, value) => value !== undefined);

const DISPLAY_NAME = /^(?=.*\S)\P{Cc}*$/u;

/** The longest name of a user, a configuration and other things that people name, in characters; media have longer ones. */
export const MAX_DISPLAY_NAME_CHARACTERS = 255;

/** A name that people see: one line of text with at least one visible character. */
export const IsDisplayName = (): PropertyDecorator =>
  applyDecorators(
    Matches(DISPLAY_NAME, { message: '$property must be one line of text that is not empty' }),
    ApiProperty({ pattern: DISPLAY_NAME.source }),
  );

/** A time without an offset would depend on the time zone of the service. */
const MOMENT = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d))?$/;

/** A time in ISO 8601 with its offset, or a date: from 00:00 UTC (toMoment), or to the end of that day in UTC (toEnd). */
export const IsMoment = (): PropertyDecorator =>
  ValidateBy(
    {
      name: 'isMoment',
      validator: {
        validate: (value: unknown) => typeof value === 'string' && MOMENT.test(value) && isISO8601(value, { strict: true }),
        defaultMessage: () => '$property must be a date and time with an offset (2030-01-31T18:00:00Z), a date (2030-01-31) or null',
      },
    },
    presupposes('text', { pattern: MOMENT.source }),
  );

/** Converts such a text, or Unix seconds, to a Date; undefined and null stay as they are. */
export function toMoment(value: string | number | null | undefined): Date | null | undefined {
  if (typeof value === 'number') return new Date(value * 1_000);
  return typeof value === 'string' ? new Date(value) : value;
}

const PLAIN_DATE = /^\d{4}-\d\d-\d\d$/;

/** Like toMoment, for the end of a period: a plain date includes that day, in UTC (contract section 13.1). */
export const toEnd = (value: string | number | null | undefined): Date | null | undefined =>
  toMoment(typeof value === 'string' && PLAIN_DATE.test(value) ? `${value}T23:59:59.999Z` : value);

/** The last second of the year 9999, in Unix seconds. */
const MAX_UNIX_SECONDS = 253_402_300_799;

/** ISO 8601 with its offset, a date, or Unix seconds. */
export const IsTime = (): PropertyDecorator =>
  ValidateBy(
    {
      name: 'isTime',
      validator: {
        validate: (value: unknown) =>
          isSeconds(value) || (typeof value === 'string' && MOMENT.test(value) && isISO8601(value, { strict: true })),
        defaultMessage: () =>
          '$property must be a date and time with an offset (2030-01-31T18:00:00Z), a date (2030-01-31) or Unix seconds (1896112800)',
      },
    },
    presupposes('integerOrText'),
  );

/** The begin or end of a link: Unix seconds as a number, otherwise as IsMoment. */
export const IsLinkTime = (): PropertyDecorator =>
  applyDecorators(
    ValidateBy(
      {
        name: 'isLinkTime',
        validator: {
          validate: (value: unknown) =>
            (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MAX_UNIX_SECONDS) ||
            (typeof value === 'string' && MOMENT.test(value) && isISO8601(value, { strict: true })),
          defaultMessage: () =>
            '$property must be Unix seconds (1896112800), a date (2030-01-31), a date and time with an offset (2030-01-31T18:00:00Z) or null',
        },
      },
      presupposes('integerOrText'),
    ),
    ApiProperty({
      oneOf: [
        { type: 'integer', minimum: 0, maximum: MAX_UNIX_SECONDS },
        { type: 'string', pattern: MOMENT.source },
      ],
      nullable: true,
    }),
  );

const SECONDS = /^\d{1,12}$/;

const isSeconds = (value: unknown): boolean =>
  (typeof value === 'string' || typeof value === 'number') && SECONDS.test(String(value)) && Number(value) <= MAX_UNIX_SECONDS;

/** Converts such a parameter to a time. */
export const toTime = (value: string | undefined): Date | undefined =>
  value === undefined ? undefined : new Date(isSeconds(value) ? Number(value) * 1_000 : value);

export const toUnixSeconds = (moment: Date | null): number | null => moment && Math.floor(moment.getTime() / 1_000);

/** The maximum of a PostgreSQL integer column; PostgreSQL refuses comparisons with larger numbers. */
export const MAX_INTEGER = 2_147_483_647;
export const MAX_ID = MAX_INTEGER;

/** The id of a row. */
export const IsId = (): PropertyDecorator => applyDecorators(IsInt(), Min(1), Max(MAX_ID));

/** Whether a value is a number that an id column can hold. */
export const isId = (value: unknown): value is number => Number.isInteger(value) && Number(value) > 0 && Number(value) <= MAX_ID;

type ClassOf = () => ClassConstructor<object>;

/** More than people write by hand; checking this many takes milliseconds. */
const MAX_ELEMENTS = 1_000;
/** A placeholder that nested validation rejects as one problem, whereas it would accept lists and null as elements. */
const REFUSED = '';

/** A member that is an object of the given class; anything else is rejected. */
export const NestedObject = (type: ClassOf): PropertyDecorator =>
  applyDecorators(
    Transform(({ value }) => toObject(value, type)),
    IsObject(),
    ValidateNested({ context: { limits: () => limitsOf(type()) } satisfies LimitsContext }),
  );

/** A member that is a list of objects of the given class. */
export const NestedList = (type: ClassOf): PropertyDecorator =>
  applyDecorators(
    Transform(({ value }) => toList(value, type)),
    ArrayMaxSize(MAX_ELEMENTS),
    IsArray(),
    ValidateNested({ context: { limits: () => ({ items: limitsOf(type()) }) } satisfies LimitsContext }),
  );

const toInstance = (type: ClassConstructor<object>, value: object): object => plainToInstance(type, withShortLists(value, type));

function toObject(value: unknown, type: ClassOf): unknown {
  if (value === undefined || value === null) return value;
  return isObject(value) ? toInstance(type(), value) : REFUSED;
}

function toList(value: unknown, type: ClassOf): unknown {
  if (!Array.isArray(value)) return value === undefined || value === null ? value : REFUSED;
  if (value.length > MAX_ELEMENTS) return new Array(value.length); // rejected because of its length, without checking its elements
  return value.map((element) => (isObject(element) ? toInstance(type(), element) : REFUSED));
}

/** The maximum size of one JSON document of a resource (contract section 12.10); it is read with every list of the resource. */
export const MAX_DOCUMENT_BYTES = 262_144;

/** The size of a document as JSON, in bytes. The list of addresses has its own limit and is not counted. */
export const bytesOfDocument = (document: unknown): number =>
  Buffer.byteLength(JSON.stringify(document, (name, value: unknown) => (name === 'ipWhiteList' ? undefined : value)) ?? '');

export const tooLarge = (path: string, maxBytes: number, bytes: number): FieldProblem => ({
  path,
  code: 'too_large',
  message: `must have ${maxBytes} bytes of JSON or less, and has ${bytes}`,
});

/** A member that is a JSON document, limited in size as sent, including unknown members. */
export const BoundedDocument = (): PropertyDecorator =>
  ValidateBy({
    name: 'tooLarge',
    validator: {
      validate: (document: unknown) => bytesOfDocument(document) <= MAX_DOCUMENT_BYTES,
      defaultMessage: () => `$property must have ${MAX_DOCUMENT_BYTES} bytes of JSON or less`,
    },
  });

/** Finds documents that a change would make too large together with their stored content; documents that the change omits are not checked. */
export const findTooLarge = (stored: Readonly<Record<string, unknown>>, changes: object): FieldProblem[] =>
  Object.entries(stored).flatMap(([name, document]) => {
    const bytes = name in changes ? bytesOfDocument(document) : 0;
    return bytes > MAX_DOCUMENT_BYTES ? [tooLarge(name, MAX_DOCUMENT_BYTES, bytes)] : [];
  });
