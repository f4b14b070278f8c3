import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Attempt } from '../../src/modules/subscriptions/instructions/instruction.js';
import { eventually } from '../support/eventually.js';
import {
  aSubscriber,
  aSubscription,
  DONE,
  failed,
  happen,
  type RunStage,
  runsOf,
  type Subscriber,
  startStage,
  storm,
  to,
} from '../support/run-stage.js';
import { createTestDatabase, type TestDatabase } from '../support/test-database.js';

let database: TestDatabase;
let stage: RunStage;
let ada: Subscriber;
let bob: Subscriber;
/** Tries at hosts named so do not end before `open()`. */
let open: () => void;
let opened: Promise<void>;
/** Tries that go on now. */
const underWay = new Map<string, number>();
const hostOf = ({ instruction }: Attempt) => new URL((instruction as { url: string }).url).host;
const count = (host: string, by: number) => underWay.set(host, (underWay.get(host) ?? 0) + by);
const inAll = () => [...underWay.values()].reduce((sum, tries) => sum + tries, 0);

async function answer(attempt: Attempt) {
  const host = hostOf(attempt);
  count(host, 1);
  if (host.startsWith('never')) await opened;
  count(host, -1);
  return host.startsWith('dead') ? failed(0) : DONE;
}

beforeEach(async () => {
  underWay.clear();
  opened = new Promise((resolve) => {
    open = resolve;
  });
  database = await createTestDatabase();
  stage = await startStage({ database, answer });
  [ada, bob] = [await aSubscriber(stage, 'Acme'), await aSubscriber(stage, 'Bobs')];
});
afterEach(async () => {
  open();
  await stage.close();
  await database.drop();
});

const triesAt = (host: string) => stage.tries.filter((attempt) => hostOf(attempt) === host).length;
const aHost = async (host: string, by = ada) => await aSubscription(stage, { by, instructions: [to(host)] });

describe('runs of subscriptions', () => {
  it('to a target that never answers use eight places, and do not delay others', async () => {
    await storm(stage, ada, await aHost('never.example'), 5_000);
    await aHost('other.example', bob);
    stage.dispatcher.wake();
    await eventually(() => triesAt('never.example') === 8);
    await happen(stage, bob);
    await eventually(() => triesAt('other.example') === 1);
    expect(triesAt('never.example')).toBe(8);
    await aHost('same-customer.example');
    await happen(stage, ada);
    await eventually(() => triesAt('same-customer.example') === 1);
    expect(triesAt('never.example')).toBe(8);
  });

  it('do not wait behind thousands of another customer that are carried out', async () => {
    await storm(stage, ada, await aHost('quick.example'), 5_000);
    await aHost('other.example', bob);
    stage.dispatcher.wake();
    await eventually(() => triesAt('quick.example') > 0);
    await happen(stage, bob);
    await eventually(() => triesAt('other.example') === 1);
    expect((await runsOf(stage)).filter(({ state }) => state === 'ready').length).toBeGreaterThan(3_000);
  });

  it('use more places where all goes well, up to 32', async () => {
    const id = await aHost('quick.example');
    await storm(stage, ada, id, 2_000);
    stage.dispatcher.wake();
    await eventually(() => triesAt('quick.example') === 2_000);
    await stage.db.query(
      `UPDATE subscriptions SET lanes = ARRAY[lanes[1]], instructions = (SELECT instructions FROM subscriptions WHERE id = $2) WHERE id = $1`,
      [id, await aHost('never.example')],
    );
    await storm(stage, ada, id, 100);
    stage.dispatcher.wake();
    await eventually(() => underWay.get('never.example') === 32);
  });

  it('use fewer places for a target that does not answer, down to 2', async () => {
    const id = await aHost('dead.example');
    await storm(stage, ada, id, 20);
    stage.dispatcher.wake();
    await eventually(async () => (await runsOf(stage)).every(({ state }) => state === 'waiting'));
    await stage.db.query(`UPDATE subscriptions SET instructions = (SELECT instructions FROM subscriptions WHERE id = $2) WHERE id = $1`, [
      id,
      await aHost('never.example'),
    ]);
    await storm(stage, ada, id, 100);
    stage.dispatcher.wake();
    await eventually(() => underWay.get('never.example') === 2);
    await aHost('other.example', bob);
    await happen(stage, bob);
    await eventually(() => triesAt('other.example') === 1);
    expect(underWay.get('never.example')).toBe(2);
  });

  it.each([
    ['take 64 places, and leave the others to the next', 100],
    ['do not hide those of the next, when they have more lanes than one look sees', 600],
  ])('of one customer %s', async (_, lanes) => {
    for (let n = 0; n < lanes; n += 1) await aHost(`never${n}.example`);
    await aHost('other.example', bob);
    await happen(stage, ada);
    await eventually(() => inAll() === 64);
    await happen(stage, bob);
    await eventually(() => triesAt('other.example') === 1);
    expect(inAll()).toBe(64);
  });

  it('are all carried out in the end, whatever their lanes', async () => {
    const hosts = Array.from({ length: 300 }, (_, n) => `quick${n}.example`);
    for (const host of hosts) await storm(stage, ada, await aHost(host), 3);
    stage.dispatcher.wake();
    await eventually(async () => (await runsOf(stage)).every(({ state }) => state === 'succeeded'));
    expect(stage.tries).toHaveLength(900);
    expect(hosts.map(triesAt)).toEqual(hosts.map(() => 3));
  });
});
