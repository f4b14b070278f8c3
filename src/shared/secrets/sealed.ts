import type { EntityTarget, ObjectLiteral } from 'typeorm';

/** A column that holds texts of SecretBox. */
export interface SealedColumn {
  readonly entity: EntityTarget<ObjectLiteral>;
  readonly property: string;
  /** The purpose under which they were sealed. */
  readonly purpose: string;
  /** The texts are JSON objects; re-encryption adds to each the key of this purpose under its old secret, as `macKey` in base64. */
  readonly keepsMacKeyOf: string | null;
}

/** Every sealed column, in the order in which the entities are loaded. */
export const sealedColumns: SealedColumn[] = [];

interface SealedOptions {
  /** For records with a value that was derived from the old secret and cannot be derived anew. */
  readonly keepsMacKeyOf?: string;
}

/**
 * Declares a column as sealed by `SecretBox.seal(purpose, …)`, null allowed. `admin keys reencrypt` finds its columns by this decorator, and a
 * test finds columns and purposes that lack it.
 */
export const Sealed =
  (purpose: string, { keepsMacKeyOf }: SealedOptions = {}): PropertyDecorator =>
  ({ constructor: entity }, property) => {
    sealedColumns.push({ entity, property: String(property), purpose, keepsMacKeyOf: keepsMacKeyOf ?? null });
  };
