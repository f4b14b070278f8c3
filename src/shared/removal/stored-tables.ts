import type { EntityMetadata } from 'typeorm';
import type { ColumnMetadata } from 'typeorm/metadata/ColumnMetadata.js';
import { sealedColumns } from '../secrets/index.js';
import { type ErasureMode, erasureModes } from './on-erasure.js';

/** A column that can contain words. */
export interface TextColumn {
  readonly name: string;
  readonly form: 'text' | 'list' | 'json';
  /** The purpose under which its texts are sealed; null if they are not sealed. */
  readonly purpose: string | null;
  readonly mode: ErasureMode;
  /** Whether its value identifies the row, so that it cannot be changed. */
  readonly isIdentifier: boolean;
}

/** A foreign key with one column. */
export interface Reference {
  readonly table: string;
  readonly column: string;
  readonly target: string;
  readonly targetColumn: string;
  /** Whether the row is deleted together with the row that it references. */
  readonly cascades: boolean;
  /** Whether the reference prevents the deletion of the row that it names; one that neither cascades nor prevents it becomes null. */
  readonly restricts: boolean;
  readonly isNullable: boolean;
}

/** The properties of a table that removal and erasure use. */
export interface StoredTable {
  readonly name: string;
  readonly keys: readonly { readonly name: string; readonly type: string }[];
  readonly texts: readonly TextColumn[];
  readonly references: readonly Reference[];
  /** The column with the version of a row, which every change increments; null: the table has none. */
  readonly version: string | null;
}

/** Column types without words; all others are read as text. */
const WITHOUT_WORDS = ['integer', 'bigint', 'smallint', 'double precision', 'boolean', 'uuid', 'timestamptz', 'date'];

/** Tables by name. */
export type Tables = ReadonlyMap<string, StoredTable>;

/** All tables of the entities. A new entity is included automatically. */
export function storedTables(entities: readonly EntityMetadata[]): Tables {
  return new Map(entities.map((entity) => [entity.tableName, toTable(entity)]));
}

function toTable(entity: EntityMetadata): StoredTable {
  const columns = entity.columns.filter(({ type }) => !WITHOUT_WORDS.includes(String(type)));
  return {
    name: entity.tableName,
    keys: entity.primaryColumns.map(({ databaseName: name, type }) => ({ name, type: String(type) })),
    texts: columns.map((column) => toText(entity, column)),
    references: entity.foreignKeys.map((key) => ({
      table: entity.tableName,
      column: key.columns[0]?.databaseName ?? '',
      target: key.referencedEntityMetadata.tableName,
      targetColumn: key.referencedColumns[0]?.databaseName ?? '',
      cascades: key.onDelete === 'CASCADE',
      restricts: key.onDelete !== 'CASCADE' && key.onDelete !== 'SET NULL',
      isNullable: key.columns[0]?.isNullable ?? false,
    })),
    version: entity.versionColumn?.databaseName ?? null,
  };
}

function toText(entity: EntityMetadata, column: ColumnMetadata): TextColumn {
  const isDeclared = (one: { readonly entity: unknown; readonly property: string }) =>
    one.entity === entity.target && one.property === column.propertyName;
  const isUnique = entity.indices.some((index) => index.isUnique && index.columns.includes(column));
  return {
    name: column.databaseName,
    form: column.type === 'jsonb' ? 'json' : column.isArray ? 'list' : 'text',
    purpose: sealedColumns.find(isDeclared)?.purpose ?? null,
    mode: erasureModes.find(isDeclared)?.mode ?? 'outside-urls',
    isIdentifier: column.isPrimary || isUnique || entity.foreignKeys.some(({ columns }) => columns.includes(column)),
  };
}

/** The foreign keys that reference a table. */
export const referencesTo = (tables: Tables, target: string): Reference[] =>
  [...tables.values()].flatMap(({ references }) => references.filter((reference) => reference.target === target));

/** A chain of foreign keys from one row to another. */
type Path = readonly Reference[];

/** The maximum number of foreign keys on a path to a customer or a user. */
const MAX_STEPS = 3;

/**
 * The foreign keys from a row of `table` to its customer, none of which is nullable; null: the table belongs to no
 * customer.
 */
export function pathToCustomer(tables: Tables, table: string, steps = MAX_STEPS): Path | null {
  const references = (tables.get(table)?.references ?? []).filter(({ target }) => target !== table);
  const direct = references.find(({ target }) => target === 'customers');
  if (direct) return [direct];
  if (steps === 1) return null;
  for (const reference of references.filter(({ isNullable }) => !isNullable)) {
    const path = pathToCustomer(tables, reference.target, steps - 1);
    if (path) return [reference, ...path];
  }
  return null;
}

/** The foreign keys by which a row of `table` belongs to a user, directly or through rows with which it would be deleted. */
export function pathsToUsers(tables: Tables, table: string, steps = MAX_STEPS): Path[] {
  return (tables.get(table)?.references ?? []).flatMap((reference): Path[] => {
    const { target, cascades } = reference;
    if (target === 'users') return [[reference]];
    if (target === table || !cascades || steps === 1) return [];
    return pathsToUsers(tables, target, steps - 1).map((path) => [reference, ...path]);
  });
}

/** The tables whose rows belong to a customer, referencing tables first: the order in which they can be deleted. */
export function tablesOfCustomers(tables: Tables): string[] {
  const waiting = new Set([...tables.keys()].filter((name) => pathToCustomer(tables, name) !== null));
  const sorted: string[] = [];
  while (waiting.size > 0) {
    const isReferred = (name: string) => referencesTo(tables, name).some(({ table }) => table !== name && waiting.has(table));
    const next = [...waiting].filter((name) => !isReferred(name));
    if (next.length === 0) throw new Error(`The tables ${[...waiting].join(', ')} refer to each other in a circle.`);
    for (const name of next.sort()) waiting.delete(name);
    sorted.push(...next);
  }
  return sorted;
}
