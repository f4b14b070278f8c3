import type { EntityTarget, ObjectLiteral } from 'typeorm';

/**
 * Where the address of an erased person is replaced in a column.
 * `outside-urls`: everywhere except in URLs, which are in use; for every column without a declaration.
 * `everywhere`: also in paths and queries of URLs, because the column records what happened.
 * `own-rows`: outside of URLs, and only in rows that belong to the person.
 * `never`: the column contains rules, which would apply to something else, or copies that are replaced within a day.
 */
export type ErasureMode = 'outside-urls' | 'everywhere' | 'own-rows' | 'never';

interface DeclaredColumn {
  readonly entity: EntityTarget<ObjectLiteral>;
  readonly property: string;
  readonly mode: ErasureMode;
}

export const erasureModes: DeclaredColumn[] = [];

/** Declares where the erasure of a person replaces the address in a column (see ErasureMode). */
export const OnErasure =
  (mode: ErasureMode): PropertyDecorator =>
  ({ constructor: entity }, property) => {
    erasureModes.push({ entity, property: String(property), mode });
  };
