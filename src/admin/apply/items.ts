import { ValidateBy, type ValidationArguments } from 'class-validator';

/** What is wrong with one item of a list, null if nothing; `entry` is the object whose property the list is. */
export type ItemRule = (item: unknown, entry: object) => string | null;

/** What class-validator hands back with an error of this constraint. */
export interface ItemsContext {
  readonly rule: ItemRule;
}

/** Name of the constraint, under which read-entry.ts finds the rule again, to tell the path of every wrong item. */
export const ITEMS = 'items';

/** A rule for each item of a list. class-validator's own `each` tells that some item is wrong, not which. */
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
