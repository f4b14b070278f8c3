import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { FormatsRepository } from '../../src/modules/formats/formats.repository.js';
import { FormatReaderService } from '../../src/modules/formats/index.js';
import { MediaItemsRepository, MediaRemovalService } from '../../src/modules/media/index.js';
import { Database } from '../../src/shared/database/index.js';
import { FilledWorld } from '../support/database/query-plans.js';

const CUSTOMERS = 1_000;
/** Most formats have a few items, one has half of all. */
const SEED = [
  `INSERT INTO customers (name) SELECT 'customer ' || n FROM generate_series(1, ${CUSTOMERS}) AS n`,
  `INSERT INTO users (customer_id, email) SELECT n, 'user' || n || '@example.org' FROM generate_series(1, ${CUSTOMERS}) AS n`,
  `INSERT INTO formats (customer_id, blueprint_id, name, converter, flag)
    SELECT 1 + n % ${CUSTOMERS}, (SELECT min(id) FROM formats), 'Ours', 'ffmpeg', n % 2 FROM generate_series(1, 20000) AS n`,
  `INSERT INTO media_containers (customer_id, creator_id, type, name)
    SELECT 1 + n % ${CUSTOMERS}, 1 + n % ${CUSTOMERS}, 'video', 'Film' FROM generate_series(1, 20000) AS n`,
  `INSERT INTO media_items (media_container_id, customer_id, format_id, type, file_name, file_extension, file_size, bucket, s3_key)
    SELECT 1 + n % 19000, 1, (SELECT max(id) FROM formats) - (n % 2) * (n % 9000), 'video', 'f', 'mp4', 1, 'b', 'k/' || n
    FROM generate_series(1, 60000) AS n`,
  'ANALYZE',
];
const LARGE = ['formats', 'media_items', 'media_containers'];

describe('the statements on formats and their media', () => {
  let world: FilledWorld;
  let last: number;
  beforeAll(async () => {
    world = await FilledWorld.start({ seed: SEED, large: LARGE });
    last = (await world.client.query<{ id: number }>('SELECT max(id) AS id FROM formats')).rows[0]?.id ?? 0;
  });
  afterAll(async () => await world?.close());

  const removal = () => world.process.get(MediaRemovalService);
  const inventory = () => world.process.get(MediaItemsRepository);
  const formats = () => world.process.get(FormatsRepository);
  const inTransaction = async (work: () => Promise<unknown>) => await world.process.get(Database).transaction(work);

  it.each<[string, () => Promise<unknown>]>([
    ['what a customer sees', async () => await world.process.get(FormatReaderService).visibleTo(17)],
    ['a format to change', async () => await inTransaction(async () => await formats().lockForCustomer(17, last))],
    ['the number of items of a format', async () => await removal().count({ formatId: last })],
    ['the number of items of a container', async () => await removal().count({ containerId: 17 })],
    ['items of a format to remove', async () => await removal().remove({ formatId: last - 15_000 })],
    ['items of a container to remove', async () => await removal().remove({ containerId: 20_000 })],
    ['formats whose items went', async () => await inTransaction(async () => await formats().lockOwned([last, last - 1]))],
    ['formats that were destroyed softly', async () => await formats().findSoftlyDestroyed([last, last - 1, last - 15_000])],
    ['formats that have media items', async () => await inventory().findFormatsInUse([last, last - 1, last - 15_000])],
  ])('find by an index: %s', async (_name, run) => {
    expect(await world.wholeReadsOncePrepared(run)).toEqual([]);
  });

  it('are reported if one reads a large table completely', async () => {
    expect(await world.tablesFoundOut()).toEqual(LARGE);
  });
});
