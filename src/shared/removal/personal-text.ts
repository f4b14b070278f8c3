import type { EntityTarget, ObjectLiteral } from 'typeorm';

/** Columns with text that people write, by entity and property. */
export const personalTexts: { readonly entity: EntityTarget<ObjectLiteral>; readonly property: string }[] = [];

/**
 * Declares a column with text that people write or that is written for them. When a person is erased, the address and the full name
 * disappear from every column; from these also the first or last name alone, in rows that belong to the person or mention them. Elsewhere a
 * name like "Max" could be a setting.
 */
export const PersonalText =
  (): PropertyDecorator =>
  ({ constructor: entity }, property) => {
    personalTexts.push({ entity, property: String(property) });
  };
