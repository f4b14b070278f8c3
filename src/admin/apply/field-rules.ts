import { applyDecorators } from '@nestjs/common';
import { IsString, Length, Matches, ValidateBy, ValidateIf, type ValidationArguments } from 'class-validator';

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
