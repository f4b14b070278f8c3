import pg from 'pg';
import { Column, getMetadataArgsStorage } from 'typeorm';
import { entities } from '../../../src/entities.js';

const PROPERTY = 'columnOfATest';
const COLUMN = 'column_of_a_test';

/** What the extra column holds in every row; no answer may show it. */
export const EXTRA_VALUE = 'a value of a column that no answer lists';

/**
 * Adds a column to the table of every entity, and to the entity, as a later version would: rows and entities carry it from then on. Call it
 * before the service connects. Returns what removes it from the entities again.
 */
export async function addColumnToEveryEntity(databaseUrl: string): Promise<() => void> {
  const { tables, columns } = getMetadataArgsStorage();
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    for (const entity of entities) {
      Column('text', { name: COLUMN, default: EXTRA_VALUE })(entity.prototype, PROPERTY);
      const table = pg.escapeIdentifier(tables.find(({ target }) => target === entity)?.name ?? '');
      await client.query(`ALTER TABLE ${table} ADD COLUMN ${COLUMN} text NOT NULL DEFAULT ${pg.escapeLiteral(EXTRA_VALUE)}`);
    }
  } finally {
    await client.end();
  }
  return () => {
    columns.splice(0, columns.length, ...columns.filter(({ propertyName }) => propertyName !== PROPERTY));
  };
}

/** The value of the extra column in an entity that was read from the database. */
export const extraValueOf = (entity: object): unknown => new Map(Object.entries(entity)).get(PROPERTY);
