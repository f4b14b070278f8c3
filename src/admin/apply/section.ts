import { applyDecorators, type INestApplicationContext } from '@nestjs/common';
import { IsString, Length, Matches } from 'class-validator';
import { CustomersService } from '../../modules/accounts/index.js';
import type { Trail } from '../trail.js';

/** What the sections need, inside the transaction that applies the file. */
export interface ApplyContext {
  readonly service: INestApplicationContext;
  readonly trail: Trail;
  /** Prints a line for the operator that is not part of the result. */
  warn(line: string): void;
  /** Whether the file itself declares the entry with this natural key in a section (`customers`, `Demo`). */
  declares(section: string, key: string): boolean;
  /** Adds a check of what all entries together have changed; it runs after the last entry, in the same transaction, and throws if something is wrong. */
  checkAtEnd(check: () => Promise<void>): void;
}

/** What identifies an entry of a section, and the field that names it in messages. */
export interface NaturalKey {
  readonly field: string;
  readonly value: string;
}

/** One section of a provisioning file: the shape of its entries, the rules between them, and how an entry is applied. */
export interface Section<Entry extends object> {
  /** A class with class-validator decorators; its decorated properties are the known fields. */
  readonly entry: new () => Entry;
  /** The field that identifies an entry. */
  readonly key: string;
  /** Returns the form of the natural key that is used for comparison. */
  normalize(key: string): string;
  /** For entries that one field cannot identify: returns the natural key; undefined if the fields that it needs are not valid. */
  identify?(fields: Partial<Entry>): NaturalKey | undefined;
  /** Finds problems beyond single fields: references, and conflicts with what is stored. Fields that are already reported are not in `fields`. */
  findProblems(draft: Draft<Entry>, context: ApplyContext): Promise<Problem[]>;
  /** Creates or updates the entry; returns the part of it that is printed. */
  declare(entry: Entry, context: ApplyContext): Promise<object>;
}

/** An entry while it is being checked. */
export interface Draft<Entry extends object> {
  /** `users.0` */
  readonly path: string;
  /** The fields that were given and passed their own checks. */
  readonly fields: Partial<Entry>;
  /** Fields that were given but are wrong. Their values are unknown, so rules about them are skipped. */
  readonly invalidFields: ReadonlySet<string>;
}

/** The end of a message about a record of a customer that the file would declare for another one: to whom it belongs, and what the operator can do. */
export const ownership = async (service: INestApplicationContext, customerId: number, mending: string): Promise<string> =>
  `It belongs to ${await service.get(CustomersService).describe(customerId)}: ${mending}`;

/** A problem of a provisioning file and its position; `path` uses dots (`clients.0.redirectUris.1`). */
export interface Problem {
  readonly path: string;
  readonly message: string;
}

/** One line of text, as people see it in a list. */
export const IsLine = ({ min, max }: { min: number; max: number }): PropertyDecorator =>
  applyDecorators(
    Length(min, max, { message: `$property must have ${min} to ${max} characters` }),
    Matches(/^[^\p{Cc}]*$/u, { message: '$property must be one line without control characters' }),
    IsString(),
  );

/** A name that is looked up exactly as written. */
export const IsName = (): PropertyDecorator =>
  applyDecorators(Matches(/^\S(.*\S)?$/u, { message: '$property must not begin or end with a space' }), IsLine({ min: 1, max: 255 }));

/** Whether a parsed value is a mapping with named members. */
export const isMapping = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
