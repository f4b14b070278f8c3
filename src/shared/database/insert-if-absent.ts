import type { ObjectLiteral, QueryDeepPartialEntity, Repository } from 'typeorm';

/**
 * Inserts a row unless one with the same key exists; returns whether this call inserted it. Of several simultaneous calls
 * exactly one returns true, so such a row can serve as a single-use token.
 */
export async function insertIfAbsent<Entity extends ObjectLiteral>(
  repository: Repository<Entity>,
  row: QueryDeepPartialEntity<Entity>,
): Promise<boolean> {
  const key = repository.metadata.primaryColumns.map(({ propertyName }) => propertyName);
  const insert = repository.createQueryBuilder().insert().values(row).orIgnore().returning(key).updateEntity(false);
  const { raw } = await insert.execute();
  return (raw as readonly unknown[]).length === 1;
}
