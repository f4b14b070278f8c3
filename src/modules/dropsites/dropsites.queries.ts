/** Raw SQL: TypeORM's update would change updated_at, which is for changes of users. */
export const COUNT_UPLOAD = 'UPDATE dropsites SET count_uploads = count_uploads + 1 WHERE id = $1';

/** Raw SQL: TypeORM cannot limit how many rows are counted. */
export const COUNT = 'SELECT count(*)::int AS count FROM (SELECT FROM dropsites WHERE customer_id = $1 LIMIT $2) AS counted';
