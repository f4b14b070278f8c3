/** Statements that check and count a quota in one step, so that transactions of a customer wait for each other at one row. */

/**
 * $1: customer, $2: quota. Other transactions wait for this row until the ambient transaction ends. Raw SQL, because TypeORM's upsert does
 * nothing if the new values are only those of the key, and a row that does not exist yet cannot be locked.
 */
export const LOCK_QUOTA = `INSERT INTO quotas (customer_id, name) VALUES ($1, $2)
  ON CONFLICT (customer_id, name) DO UPDATE SET name = excluded.name`;

/** The usage on the counted day; a process whose clock is behind counts for the day that another process has already begun. */
const USED_BEFORE = 'CASE WHEN quota.day >= excluded.day THEN quota.used ELSE 0 END::numeric';

/** $1: customer, $2: quota, $3: day, $4: amount, $5: default limit. Raw SQL, because the new values and the condition depend on the old row. */
export const TAKE_QUOTA = `INSERT INTO quotas AS quota (customer_id, name, day, used)
  SELECT $1::int, $2::text, $3::date, $4::bigint
  WHERE $4::bigint <= coalesce((SELECT max FROM quotas WHERE customer_id = $1 AND name = $2), $5::bigint)
  ON CONFLICT (customer_id, name) DO UPDATE SET day = greatest(quota.day, excluded.day), used = ${USED_BEFORE} + excluded.used
  WHERE ${USED_BEFORE} + excluded.used <= coalesce(quota.max, $5::bigint)`;

/**
 * $1: customer, $2: quota, $3: day, $4: amount, negative to return some. Not limited except by the column's range. Raw SQL, because the new
 * value depends on the old row.
 */
export const CHARGE_QUOTA = `INSERT INTO quotas AS quota (customer_id, name, day, used) VALUES ($1, $2, $3, greatest($4::bigint, 0))
  ON CONFLICT (customer_id, name) DO UPDATE SET day = greatest(quota.day, excluded.day),
    used = greatest(least(${USED_BEFORE} + $4::bigint, 9223372036854775807), 0)`;
