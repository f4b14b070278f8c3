import { applyDecorators, type INestApplicationContext } from '@nestjs/common';
import { IsString, Length, Matches, ValidateBy, ValidateIf, type ValidationArguments } from 'class-validator';
import type { Trail } from '../trail.js';

/** What the sections work with, inside the one transaction of the file. */
export interface Workbench {
  readonly service: INestApplicationContext;
  readonly trail: Trail;
  /** Prints a line for the operator that is no part of the result. */
  warn(line: string): void;
  /** Whether the file itself declares this, by the natural key of its section (`customers`, `Demo`). */
  declares(section: string, key: string): boolean;
}

/** What identifies an entry of a section, and the field that names it in messages. */
export interface NaturalKey {
  readonly field: string;
  readonly value: string;
}

/** One section of a provisioning file: the shape of its entries, the rules between them, and how an entry comes true. */
export interface Section<Entry extends object> {
  /** A class with class-validator's decorators; its decorated properties are the known fields. */
  readonly entry: new () => Entry;
  /** The field by which an entry is found again. */
  readonly key: string;
  /** The natural key as it is compared. */
  normalize(key: string): string;
  /** Where one field is not enough: by which field, and as what, the entry is found again; undefined when that is not sound. */
  identify?(fields: Partial<Entry>): NaturalKey | undefined;
  /** What is wrong beyond the fields themselves: references, and rules with what is stored. Fields that are wrong already are not sound. */
  findProblems(draft: Draft<Entry>, bench: Workbench): Promise<Problem[]>;
  /** Creates or updates; answers what is printed of it. */
  declare(entry: Entry, bench: Workbench): Promise<object>;
}

/** An entry of a section on its way: what of it is sound, until all of it is. */
export interface Draft<Entry extends object> {
  /** `users.0` */
  readonly path: string;
  /** The fields that were given and are right by themselves. */
  readonly fields: Partial<Entry>;
  /** Fields that were given and are wrong. What they would have said is not known, so rules about them have to wait. */
  readonly unsound: ReadonlySet<string>;
}

/** What is wrong with a provisioning file, and where: `path` in dots (`clients.0.redirectUris.1`). */
export interface Problem {
  readonly path: string;
  readonly message: string;
}

/** The field may be left out. An empty one (`null`) is no value of it: `IsOptional` would let it pass. */
export const MayBeAbsent = (): PropertyDecorator => ValidateIf((_entry, value) => value !== undefined);

/** One line of text, as a person reads it in a list. */
export const IsLine = ({ min, max }: { min: number; max: number }): PropertyDecorator =>
  applyDecorators(
    IsString({ message: 'must be a text (in YAML, put a number or a date into quotes)' }),
    Length(min, max, { message: min > 0 ? `must have ${min} to ${max} characters` : `must have at most ${max} characters` }),
    Matches(/^[^\p{Cc}]*$/u, { message: 'must be one line without control characters' }),
  );

/** A name that is looked up as it is written. */
export const IsName = (): PropertyDecorator =>
  applyDecorators(IsLine({ min: 1, max: 255 }), Matches(/^\S(.*\S)?$/u, { message: 'must not begin or end with a space' }));

/** What is wrong with one item of a list, null if nothing; `entry` is the object whose property the list is. */
type ItemRule = (item: unknown, entry: object) => string | null;

/** What class-validator hands back with an error of this constraint. */
export interface ItemsContext {
  readonly rule: ItemRule;
}

/** Name of the constraint, under which read-sections.ts finds the rule again, to name the path of every wrong item. */
export const ITEMS = 'items';

/** A rule for each item of a list. class-validator's own `each` says that some item is wrong, not which. */
export const Items = (rule: ItemRule): PropertyDecorator =>
  ValidateBy(
    {
      name: ITEMS,
      validator: {
        validate: (list: unknown, args?: ValidationArguments) =>
          Array.isArray(list) && list.every((item) => rule(item, args?.object ?? {}) === null),
        defaultMessage: () => 'must be a list',
      },
    },
    { context: { rule } satisfies ItemsContext },
  );

/** Whether a parsed value has named members. */
export const isMapping = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
