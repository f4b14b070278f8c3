import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { EmbedLink } from '../../src/modules/player-configurations/index.js';
import { CountingService } from '../../src/shared/counting/index.js';
import { Database } from '../../src/shared/database/index.js';
import { addressOf, startTestApp, type TestApp } from '../support/app/test-app.js';
import { aProtectedLink, embeddedMedia, silentStorage } from '../support/browser/embedded-media.js';
import { type RecordedStatement, recordStatements } from '../support/database/recorded-statements.js';
import { eventually } from '../support/eventually.js';
import { SteadyLoad } from '../support/steady-load.js';

let one: TestApp;
let other: TestApp;
beforeAll(async () => {
  one = await startTestApp(silentStorage);
  other = await startTestApp({ ...silentStorage, database: one.database, publicUrl: one.url });
});
afterAll(async () => {
  await other?.close();
  await one?.close();
});

const writeAll = async ({ app }: TestApp) => await app.get(CountingService).writeAll();
const usesOf = async (id: number) => (await one.app.get(Database).repository(EmbedLink).findOneByOrFail({ id })).uses;
const usesOfAll = async (links: readonly { readonly id: number }[]) =>
  (await Promise.all(links.map(async ({ id }) => await usesOf(id)))).reduce((sum, uses) => sum + uses, 0);
const isUpdate = ({ text }: RecordedStatement) => text.includes('UPDATE embed_links');

it('every delivery of two processes is counted once, by one statement of each, and waits for no count', async () => {
  const media = await embeddedMedia(one);
  const links = [await aProtectedLink(media), await aProtectedLink(media), await aProtectedLink(media)];
  const origins = [one.url, addressOf(other.app)];
  const deliver = (n: number) => async () => {
    const answer = await fetch(`${origins[n % 2]}/v5/deliverFile/${links[n % 3]?.link}`, { redirect: 'manual' });
    if (answer.status !== 302) throw new Error(String(answer.status));
  };
  const database = one.app.get(Database);
  const load = new SteadyLoad(Object.fromEntries(Array.from({ length: 6 }, (_, n) => [`delivery ${n}`, deliver(n)])), 500);
  await eventually(() => load.sent > 100);
  // A user changes a link for longer than the counts are written: these do not wait, and neither do deliveries.
  await database.transaction(async () => {
    await database.query('SELECT FROM embed_links WHERE id = $1 FOR UPDATE', [links[0]?.id]);
    const statements = await database.outsideTransaction(async () => await recordStatements(async () => await writeAll(one)));
    expect(statements.filter(isUpdate)).toHaveLength(1);
    await database.outsideTransaction(async () => await writeAll(other));
    const sent = load.sent;
    await eventually(() => load.sent > sent + 100);
    await load.answered();
  });
  await load.stop();
  expect(load.failures).toEqual([]);
  // A process skips rows that the other one writes at the same time (each also writes every ten seconds), and writes them the next time.
  await eventually(async () => {
    for (const process of [one, other]) await writeAll(process);
    return (await usesOfAll(links)) >= load.sent;
  });
  expect(await usesOfAll(links)).toBe(load.sent);
});
