import type { FindOptionsWhere, ObjectLiteral, Repository } from 'typeorm';

/** The number of rows that meet a condition, counted up to `atMost`, because a customer may have very many. */
export async function countUpTo<Entity extends ObjectLiteral>(
  { manager, target }: Repository<Entity>,
  where: FindOptionsWhere<Entity>,
  atMost: number,
): Promise<number> {
  const row = await manager
    .createQueryBuilder()
    .select('count(*)::int', 'count')
    .from((rows) => rows.select('1').from(target, 'row').where(where).limit(atMost), 'counted')
    .getRawOne<{ count: number }>();
  return row?.count ?? 0;
}
