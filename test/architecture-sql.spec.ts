import { describe, expect, it } from '@jest/globals';
import { readSource, readSources, type Source } from './support/sql-in-sources.js';

const sources = readSources();
const owners = new Map(sources.flatMap(({ module, declaredEntities }) => declaredEntities.map(({ table }) => [table, module])));
const declaredIn = new Map(sources.flatMap(({ module, declaredEntities }) => declaredEntities.map(({ name }) => [name, module])));

/** Tables in the SQL of a module that does not own them; each with its reason and the day on which it was allowed. */
const ALLOWED: readonly { readonly module: string; readonly table: string; readonly reason: string }[] = [];

describe('a table', () => {
  it('is found by its name', () => {
    const text = `
      @Entity('things') export class Thing {}
      const FIND = \`SELECT * FROM users u, customers AS c JOIN ONLY clients ON true WHERE name = 'FROM events' AND id IN (SELECT \${ID} FROM
        formats)\`;
      const LATER = 'UPDATE mailbox SET seen = true';
      await client.query('show data_directory');
      housekeeping.expire('quotas', 'day < $1');
      new IdPool(database, 'media_items');
      this.database.repository(Thing).find();
      throw new Error('The update from users was late.');`;
    expect(readSource('modules/things/things.ts', text)).toEqual({
      ...{ file: 'modules/things/things.ts', module: 'modules/things', sent: 1, usedEntities: ['Thing'] },
      declaredEntities: [{ name: 'Thing', table: 'things' }],
      sql: [expect.stringContaining('SELECT * FROM users'), 'UPDATE mailbox SET seen = true', 'show data_directory'],
      tables: ['quotas', 'media_items', 'users', 'customers', 'clients', 'formats', 'mailbox'],
    });
    const named = new Set(sources.flatMap(({ tables }) => tables));
    expect([...owners.keys()].filter((table) => named.has(table)).length).toBeGreaterThan(25);
    expect(owners.size).toBeGreaterThan(35);
  });

  it('is named in the SQL of one module only, the one that declares its entity', () => {
    const foreign = sources.flatMap(({ file, module, tables }) =>
      tables
        .filter((table) => owners.has(table) && owners.get(table) !== module)
        .filter((table) => !ALLOWED.some((one) => one.module === module && one.table === table))
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

  /**
   * The number of statements that services send, by module. It may only fall: a change that moves one into a repository, or replaces it by
   * TypeORM, lowers it here.
   */
  const SENT_ELSEWHERE: Readonly<Record<string, number>> = {
    ...{ 'modules/accounts': 5, 'modules/uploads': 2 },
    ...{ 'shared/jobs': 7, 'shared/quotas': 3, 'shared/secrets': 2 },
  };

  it('is only in *.repository.ts and *.queries.ts', () => {
    expect(differences((source) => (mayHaveSql(source) ? 0 : source.sql.length), {})).toEqual([]);
  });

  it('is sent by *.repository.ts and *.queries.ts', () => {
    expect(differences((source) => (mayHaveSql(source) ? 0 : source.sent), SENT_ELSEWHERE)).toEqual([]);
  });

  const mayHaveSql = ({ file }: Source) => /\.(?:repository|queries)\.ts$/.test(file);

  /** The modules whose number differs from the known one, and the files that are counted. */
  function differences(count: (source: Source) => number, known: Readonly<Record<string, number>>): string[] {
    const found = sources.filter((source) => !(source.module in EXEMPT) && count(source) > 0);
    return [...new Set([...Object.keys(known), ...found.map(({ module }) => module)])].flatMap((module) => {
      const inModule = found.filter((source) => source.module === module);
      const total = inModule.reduce((sum, source) => sum + count(source), 0);
      const files = inModule.map((source) => `${source.file} (${count(source)})`).join(', ');
      return total === (known[module] ?? 0) ? [] : [`${module}: ${total} in place of ${known[module] ?? 0}, in ${files}`];
    });
  }
});
