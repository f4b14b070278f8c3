/**
 * Raw SQL, because every upload runs it and a prepared statement is cheaper. Locks in the order of the ids, as destructions do. $1: ids, $2: ids
 * of formats that may have flag 1.
 */
export const LOCK_EXISTING = `SELECT id FROM formats WHERE id = ANY($1::int[]) AND destroy_job_id IS NULL AND (flag = 0 OR id = ANY($2::int[]))
  ORDER BY id FOR KEY SHARE`;

/**
 * Raw SQL, because one statement inserts new blueprints, updates changed ones, and does not write the others: a conflict would use up an id, and
 * the documents name those of a new installation.
 */
export const SEED_BLUEPRINTS = `INSERT INTO formats AS stored (blueprint_key, name, converter, usage, settings)
  SELECT wanted.blueprint_key, wanted.name, wanted.converter, wanted.usage, wanted.settings
    FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::jsonb[]) WITH ORDINALITY
      AS wanted (blueprint_key, name, converter, usage, settings, position)
    WHERE NOT EXISTS (SELECT FROM formats AS same WHERE same.blueprint_key = wanted.blueprint_key AND
      (same.name, same.converter, same.usage, same.settings) = (wanted.name, wanted.converter, wanted.usage, wanted.settings))
    ORDER BY wanted.position
  ON CONFLICT (blueprint_key) DO UPDATE SET name = excluded.name, converter = excluded.converter, usage = excluded.usage,
    settings = excluded.settings, version = stored.version + 1, updated_at = now()
  RETURNING id`;
