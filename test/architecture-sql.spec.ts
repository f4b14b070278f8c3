import { describe, expect, it } from '@jest/globals';
import { readSource, readSources } from './support/database/sql-in-sources.js';

const sources = readSources();
const owners = new Map(sources.flatMap(({ module, declaredEntities }) => declaredEntities.map(({ table }) => [table, module])));
const declaredIn = new Map(sources.flatMap(({ module, declaredEntities }) => declaredEntities.map(({ name }) => [name, module])));

const isRepository = (file: string) => file.endsWith('.repository.ts');

describe('a table', () => {
  it('is found by its name', () => {
    const text = `
      @Entity('things') export class Thing {}
      const FIND = \`SELECT * FROM users u, customers AS c JOIN ONLY clients ON true WHERE name = 'FROM events' AND id IN (SELECT \${ID} FROM
        formats)\`;
      const LATER = 'UPDATE mailbox SET seen = true';
      await client.query('show data_directory');
      housekeeping.expire('quotas', 'day < $1');
      this.database.repository(Thing).find();
      throw new Error('The update from users was late.');`;
    expect(readSource('modules/things/things.ts', text)).toEqual({
      ...{ file: 'modules/things/things.ts', module: 'modules/things', sent: 1, usedEntities: ['Thing'] },
      declaredEntities: [{ name: 'Thing', table: 'things' }],
      sql: [expect.stringContaining('SELECT * FROM users'), 'UPDATE mailbox SET seen = true', 'show data_directory'],
      tables: ['quotas', 'users', 'customers', 'clients', 'formats', 'mailbox'],
    });
    const named = new Set(sources.flatMap(({ tables }) => tables));
    expect([...owners.keys()].filter((table) => named.has(table)).length).toBeGreaterThan(25);
    expect(owners.size).toBeGreaterThan(35);
  });

  it('is named in the SQL of one module only, the one that declares its entity', () => {
    const foreign = sources.flatMap(({ file, module, tables }) =>
      tables
        .filter((table) => owners.has(table) && owners.get(table) !== module)
        .map((table) => `${file} names ${table} of ${owners.get(table)}`),
    );
    expect(foreign).toEqual([]);
  });

  it('is read and written through its entity by that module only', () => {
    const foreign = sources.flatMap(({ file, module, usedEntities }) =>
      usedEntities
        .filter((entity) => declaredIn.has(entity) && declaredIn.get(entity) !== module)
        .map((entity) => `${file} uses ${entity} of ${declaredIn.get(entity)}`),
    );
    expect(foreign).toEqual([]);
    expect(sources.flatMap(({ usedEntities }) => usedEntities).filter((entity) => declaredIn.has(entity)).length).toBeGreaterThan(40);
  });
});

describe('raw SQL', () => {
  /** Modules whose task it is to send SQL: what they send is theirs, and no table is named in it. */
  const EXEMPT: Readonly<Record<string, string>> = {
    'shared/database': 'sends every statement, and makes transactions, locks and notifications of SQL',
    embedded: 'starts PostgreSQL: TypeORM cannot connect to it yet',
    tools: 'makes the scratch database in which migrations are generated',
  };
  const elsewhere = sources.filter(({ file, module }) => !(module in EXEMPT) && !isRepository(file));

  it('is in *.repository.ts only', () => {
    expect(elsewhere.filter(({ sql }) => sql.length > 0).map(({ file, sql }) => `${file}: ${sql[0]}`)).toEqual([]);
  });

  it('is sent by *.repository.ts only', () => {
    expect(elsewhere.filter(({ sent }) => sent > 0).map(({ file, sent }) => `${file} sends ${sent} statements`)).toEqual([]);
    expect(sources.filter(({ file, sent }) => isRepository(file) && sent > 0).length).toBeGreaterThan(20);
  });
});
