import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { EmbedLinksRepository } from '../../src/modules/player-configurations/embed-links/embed-links.repository.js';
import { PlayerConfigurationsRepository } from '../../src/modules/player-configurations/player-configurations.repository.js';
import { Database } from '../../src/shared/database/index.js';
import { FilledWorld } from '../support/database/query-plans.js';

const ROWS = 20_000;
const CUSTOMERS = 1_000;

const SEED = [
  `INSERT INTO customers (name) SELECT 'customer ' || n FROM generate_series(1, ${CUSTOMERS}) AS n`,
  `INSERT INTO users (customer_id, email) SELECT n, 'user' || n || '@example.org' FROM generate_series(1, ${CUSTOMERS}) AS n`,
  `INSERT INTO media_containers (customer_id, creator_id, type, name)
    SELECT 1 + n % ${CUSTOMERS}, 1 + n % ${CUSTOMERS}, 'video', 'Film' FROM generate_series(1, ${ROWS}) AS n`,
  `INSERT INTO player_configurations (customer_id, creator_id, last_editor_id, name, type, template_id, auto_generate)
    SELECT 1 + n % ${CUSTOMERS}, 1 + n % ${CUSTOMERS}, 1 + n % ${CUSTOMERS}, 'Website', 'video', 1, n % 10 = 0
    FROM generate_series(1, ${ROWS}) AS n`,
  `INSERT INTO player_configuration_formats (player_configuration_id, format_id, position)
    SELECT n, (SELECT min(id) FROM formats), 0 FROM generate_series(1, ${ROWS}) AS n`,
  `INSERT INTO embed_links (link, customer_id, media_container_id, player_configuration_id, type, flag, creator_id)
    SELECT lpad(to_hex(n), 32, '0')::uuid, 1 + n % ${CUSTOMERS}, n, n, 'video', 0, 1 + n % ${CUSTOMERS} FROM generate_series(1, ${ROWS}) AS n`,
  'ANALYZE',
];

const LARGE = ['player_configurations', 'player_configuration_formats', 'embed_links', 'media_containers'];

describe('the statements on player configurations and embed links', () => {
  let world: FilledWorld;
  beforeAll(async () => {
    world = await FilledWorld.start({ seed: SEED, large: LARGE });
  });
  afterAll(async () => await world?.close());

  const configurations = () => world.process.get(PlayerConfigurationsRepository);
  const links = () => world.process.get(EmbedLinksRepository);
  const locking = async (work: () => Promise<unknown>) => await world.process.get(Database).transaction(work);
  const pair = { mediaContainerId: 170, playerConfigurationId: 170 };

  it.each<[string, () => Promise<unknown>]>([
    ['a configuration', async () => await configurations().findById(17)],
    ['a page of configurations', async () => await configurations().list(18, { after: 0, limit: 10_000 })],
    ['a configuration to change', async () => await locking(async () => await configurations().lockForChange(18, 17))],
    ['configurations to destroy', async () => await locking(async () => await configurations().lockForDestruction(18, [17, 1_017]))],
    ['a configuration to keep', async () => await locking(async () => await configurations().lockForLink(18, 17))],
    ['those that generate links', async () => await configurations().listAutoGenerating(18, 'video')],
    ['a link', async () => await links().findForDelivery(['11'.padStart(32, '0')])],
    ['the version of a configuration', async () => await configurations().findVersion(18, 17)],
    ['a link of a customer', async () => await links().findForCustomer(18, 17)],
    ['the links of a container', async () => await links().listOfContainer(17, { after: 0, limit: 100 })],
    ['the link of a pair', async () => await links().findOfPair(pair)],
    ['the link of a pair, also a deleted one', async () => await links().findOfPair(pair, { deleted: true })],
    ['the numbers of links', async () => await links().countByPlayerConfiguration(Array.from({ length: 50 }, (_, n) => 18 + n * 1_000))],
    ['links that move', async () => await links().moveAll(17, 18)],
    ['links that end', async () => await links().deleteAll(18, { endedAt: new Date(), endedBy: 1 })],
    [
      'a configuration that goes',
      async () =>
        await configurations()
          .delete(19 + CUSTOMERS * 40)
          .catch(() => {}),
    ],
  ])('find by an index: %s', async (_name, run) => {
    expect(await world.wholeReads(run)).toEqual([]);
  });

  it('are reported if one reads a large table completely', async () => {
    expect(await world.tablesFoundOut()).toEqual(LARGE);
  });
});
