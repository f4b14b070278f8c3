import type { EntityTarget, ObjectLiteral } from 'typeorm';

/** A column with text that people write, by entity and property; for a JSON document, optionally only in these members. */
interface PersonalColumn {
  readonly entity: EntityTarget<ObjectLiteral>;
  readonly property: string;
  readonly members: readonly string[] | null;
}

export const personalTexts: PersonalColumn[] = [];

/**
 * Declares a column with text that people write or that is written for them. When a person is erased, the address and the full name
 * are removed from every column; from these columns also the first or last name alone, in rows that belong to the person or mention them.
 * Elsewhere a name like "Max" could be a setting. `members`: in a JSON document, only the values of these members are such text, at any depth.
 */
export const PersonalText =
  ({ members = null }: { readonly members?: readonly string[] | null } = {}): PropertyDecorator =>
  ({ constructor: entity }, property) => {
    personalTexts.push({ entity, property: String(property), members });
  };
