import pg from 'pg';

/** What the catalogue says about a column. */
interface Column {
  readonly type: string;
  readonly required: boolean;
  /** Of a primary key that the database numbers. */
  readonly numbered: boolean;
  /** Its statement hands the value back. */
  readonly handedBack: boolean;
  readonly unique: boolean;
  /** Table and column that a foreign key names. */
  readonly target: { readonly table: string; readonly name: string } | null;
  readonly standard: string | null;
  /** The values that a CHECK allows; none when it does not enumerate any. */
  readonly allowed: string[];
}

/** How a value gets lost: in words, and as an expression. */
interface Loss {
  readonly words: string;
  readonly expression: string;
  /** Evaluated for each new value; the others are the same at every write. */
  readonly fresh?: boolean;
  /** Rows that are told apart by the field no longer are: its unique index goes. */
  readonly shared?: boolean;
}

/** The code goes on with the value that was stored (RETURNING), so that another one would be no loss: all rows get the same. */
const HANDED_BACK = new Set(['authorizations.grant_id']);

const NEUTRAL: Readonly<Record<string, string>> = {
  text: `'lost'`,
  'text[]': `'{}'`,
  'integer[]': `'{}'`,
  boolean: 'false',
  smallint: '0',
  integer: '0',
  bigint: '0',
  numeric: '0',
  'double precision': '0',
  jsonb: `'{}'`,
  uuid: `'00000000-0000-0000-0000-000000000000'`,
  bytea: `''`,
  date: `'epoch'`,
  'timestamp with time zone': `'epoch'`,
};

const RANDOM: Readonly<Record<string, string>> = {
  text: 'gen_random_uuid()::text',
  smallint: '-1 - (random() * 30000)::integer',
  integer: '-1 - (random() * 2000000000)::integer',
  bigint: '-1 - (random() * 2000000000)::integer',
  uuid: 'gen_random_uuid()',
  bytea: 'uuid_send(gen_random_uuid())',
  'timestamp with time zone': 'to_timestamp(random() * 1000000000)',
};

/**
 * Makes a column (`table.column`) discard all written values, as if the field were not stored. Reads and writes go on: a trigger
 * puts another value in its place, and rules that this value could break (foreign keys, checks) go. Says which value it is.
 */
export async function loseField(url: string, field: string): Promise<string> {
  const [table = '', name = ''] = field.split('.');
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const column = await readColumn(client, table, name);
    const loss = lossOf({ ...column, handedBack: HANDED_BACK.has(field) });
    await dropConstraints(client, table, name);
    if (loss.shared) await dropUniqueIndexes(client, table, name);
    const value = `NEW.${client.escapeIdentifier(name)}`;
    const old = `OLD.${client.escapeIdentifier(name)}`;
    // What stands in the row already was lost when it was written.
    const kept = loss.fresh ? `IF TG_OP = 'UPDATE' THEN IF ${value} IS NOT DISTINCT FROM ${old} THEN RETURN NEW; END IF; END IF;` : '';
    await client.query(`CREATE FUNCTION lose_field() RETURNS trigger LANGUAGE plpgsql
      AS $$ BEGIN ${kept} ${value} := ${loss.expression}; RETURN NEW; END $$`);
    await client.query(`CREATE TRIGGER lose_field BEFORE INSERT OR UPDATE ON ${client.escapeIdentifier(table)}
      FOR EACH ROW EXECUTE FUNCTION lose_field()`);
    return loss.words;
  } finally {
    await client.end();
  }
}

function lossOf({ type, required, numbered, handedBack, unique, target, standard, allowed }: Column): Loss {
  if (numbered) return { words: 'the same number for every row', expression: '1', shared: true };
  if (handedBack) return { words: 'the same value for every row', expression: NEUTRAL[type] ?? 'NULL', shared: true };
  if (!required) return { words: 'always NULL', expression: 'NULL' };
  if (target) {
    const first = `(SELECT min(${target.name}) FROM ${target.table})`;
    return { words: `always the first of ${target.table}`, expression: first };
  }
  if (unique && RANDOM[type]) return { words: 'another value at every write', expression: RANDOM[type], fresh: true };
  if (standard !== null) return { words: `always its default, ${standard}`, expression: standard };
  if (allowed[0] !== undefined) return { words: `always '${allowed[0]}'`, expression: `'${allowed[0]}'` };
  const neutral = NEUTRAL[type];
  if (neutral === undefined)
    throw new Error(`No neutral value is known for the type ${type}: add one in test/support/database/lost-field.ts.`);
  return { words: `always ${neutral}`, expression: neutral };
}

async function readColumn(client: pg.Client, table: string, name: string): Promise<Omit<Column, 'handedBack'>> {
  const { rows } = await client.query<Column & { standard: string | null; checks: string[] }>(
    `SELECT format_type(a.atttypid, NULL) AS type, a.attnotnull AS required,
       a.attidentity <> '' AND EXISTS (SELECT FROM pg_index i WHERE i.indrelid = a.attrelid AND i.indisprimary AND i.indnkeyatts = 1
         AND a.attnum = ANY (i.indkey)) AS numbered,
       EXISTS (SELECT FROM pg_index i WHERE i.indrelid = a.attrelid AND i.indisunique AND a.attnum = ANY (i.indkey)) AS unique,
       (SELECT json_build_object('table', c.confrelid::regclass, 'name', f.attname) FROM pg_constraint c
         JOIN pg_attribute f ON f.attrelid = c.confrelid AND c.confkey = ARRAY[f.attnum]
         WHERE c.conrelid = a.attrelid AND c.contype = 'f' AND c.conkey = ARRAY[a.attnum] LIMIT 1) AS target,
       pg_get_expr(d.adbin, d.adrelid) AS standard,
       ARRAY(SELECT pg_get_constraintdef(c.oid) FROM pg_constraint c
         WHERE c.conrelid = a.attrelid AND c.contype = 'c' AND c.conkey = ARRAY[a.attnum]) AS checks
     FROM pg_attribute a LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
     WHERE a.attrelid = to_regclass($1) AND a.attname = $2 AND a.attnum > 0 AND a.attgenerated = ''`,
    [table, name],
  );
  if (rows[0] === undefined) throw new Error(`There is no column ${table}.${name} that could be lost.`);
  const { checks, standard, ...column } = rows[0];
  const isConstant = standard !== null && /^('[^']*'::[\w ]+(\[\])?|-?\d+|true|false)$/.test(standard);
  const allowed = checks.flatMap((check) => [...check.matchAll(/'([^']*)'::text/g)].map(([, value = '']) => value));
  return { ...column, standard: isConstant ? standard : null, allowed };
}

/** Foreign keys from and to the column, and checks of it. */
async function dropConstraints(client: pg.Client, table: string, name: string): Promise<void> {
  const { rows } = await client.query<{ statement: string }>(
    `SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', c.conrelid::regclass, c.conname) AS statement
     FROM pg_constraint c, pg_attribute a
     WHERE a.attrelid = to_regclass($1) AND a.attname = $2
       AND ((c.conrelid = a.attrelid AND a.attnum = ANY (c.conkey) AND c.contype IN ('c', 'f'))
         OR (c.confrelid = a.attrelid AND a.attnum = ANY (c.confkey)))`,
    [table, name],
  );
  for (const { statement } of rows) await client.query(statement);
}

/** Those of the column alone, be it as the primary key. */
async function dropUniqueIndexes(client: pg.Client, table: string, name: string): Promise<void> {
  const { rows } = await client.query<{ statement: string }>(
    `SELECT CASE WHEN c.conname IS NULL THEN format('DROP INDEX %s', i.indexrelid::regclass)
       ELSE format('ALTER TABLE %s DROP CONSTRAINT %I', i.indrelid::regclass, c.conname) END AS statement
     FROM pg_index i JOIN pg_attribute a ON a.attrelid = i.indrelid AND i.indkey::text = a.attnum::text
     LEFT JOIN pg_constraint c ON c.conindid = i.indexrelid AND c.contype IN ('p', 'u')
     WHERE i.indrelid = to_regclass($1) AND a.attname = $2 AND i.indisunique`,
    [table, name],
  );
  for (const { statement } of rows) await client.query(statement);
}
