import type { INestApplicationContext } from '@nestjs/common';
import { Database } from '../../../src/shared/database/index.js';
import { SecretBoxService, sealedColumns } from '../../../src/shared/secrets/index.js';

/** A value of the database as text, and where it stands. */
export interface DumpedValue {
  /** `table.column` */
  readonly place: string;
  readonly text: string;
}

const TABLES = `SELECT schemaname || '.' || tablename AS name, schemaname AS schema, tablename AS table FROM pg_tables
  WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`;

/** Every value of every table, those of graphile-worker too; sealed texts are decrypted. */
export async function dumpDatabase(app: INestApplicationContext): Promise<DumpedValue[]> {
  const database = app.get(Database);
  const purposes = sealedPurposes(database);
  const dumped: DumpedValue[] = [];
  for (const { name, table } of (await database.query<{ name: string; table: string }>(TABLES)).rows) {
    for (const row of (await database.query<Record<string, unknown>>(`SELECT * FROM ${name}`)).rows) {
      for (const [column, value] of Object.entries(row)) {
        const place = `${table}.${column}`;
        const purpose = purposes.get(place);
        const text = typeof value === 'string' ? value : JSON.stringify(value ?? null);
        dumped.push({ place, text: purpose !== undefined && value !== null ? app.get(SecretBoxService).open(purpose, text) : text });
      }
    }
  }
  return dumped;
}

function sealedPurposes(database: Database): ReadonlyMap<string, string> {
  return new Map(
    sealedColumns.map(({ entity, property, purpose }) => {
      const { metadata } = database.repository(entity);
      return [`${metadata.tableName}.${metadata.findColumnWithPropertyName(property)?.databaseName}`, purpose];
    }),
  );
}

/** The values in which one of the texts stands, in whatever case or escape. */
export function mentionsIn(dump: readonly DumpedValue[], texts: readonly string[]): DumpedValue[] {
  const needles = texts
    .flatMap((text) => [text, encodeURIComponent(text), JSON.stringify(text).slice(1, -1)])
    .map((text) => text.toLowerCase());
  const found = dump.filter(({ text }) => needles.some((needle) => text.toLowerCase().includes(needle)));
  return found.sort((left, right) => `${left.place} ${left.text}`.localeCompare(`${right.place} ${right.text}`));
}

/** The places of these values. */
export const placesOf = (dump: readonly DumpedValue[], texts: readonly string[]): string[] => [
  ...new Set(mentionsIn(dump, texts).map(({ place }) => place)),
];
