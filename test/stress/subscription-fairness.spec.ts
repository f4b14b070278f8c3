import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Attempt } from '../../src/modules/subscriptions/instructions/instruction.js';
import { createTestDatabase, type TestDatabase } from '../support/database/test-database.js';
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
} from '../support/subscriptions/run-stage.js';

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
  const status = /^(0|429|503)\.example$/.exec(host)?.[1];
  return status === undefined ? DONE : failed(Number(status), { retryAfterSeconds: 60 });
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

  it('use no more than eight places of a target where all went well', async () => {
    const id = await aHost('quick.example');
    await storm(stage, ada, id, 500);
    stage.dispatcher.wake();
    await eventually(() => triesAt('quick.example') === 500);
    await stage.db.query(`UPDATE subscriptions SET instructions = (SELECT instructions FROM subscriptions WHERE id = $2) WHERE id = $1`, [
      id,
      await aHost('never.example'),
    ]);
    await storm(stage, ada, id, 100);
    stage.dispatcher.wake();
    await eventually(() => underWay.get('never.example') === 8);
    await aHost('other.example', bob);
    await happen(stage, bob);
    await eventually(() => triesAt('other.example') === 1);
    expect(underWay.get('never.example')).toBe(8);
  });

  it.each([0, 429, 503])('to a target that answers %i wait for their next attempts, and do not delay others', async (status) => {
    await storm(stage, ada, await aHost(`${status}.example`), 100);
    await storm(stage, bob, await aHost('other.example', bob), 10);
    stage.dispatcher.wake();
    await eventually(async () => (await runsOf(stage)).every(({ state }) => state === 'waiting' || state === 'succeeded'));
    expect([triesAt(`${status}.example`), triesAt('other.example')]).toEqual([100, 10]);
    stage.dispatcher.wake('due', 'held');
    await happen(stage, bob);
    await eventually(() => triesAt('other.example') === 11);
    expect(triesAt(`${status}.example`)).toBe(100);
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

  it('of a hundred customers whose targets never answer leave places to the next', async () => {
    const crowd = await Promise.all(Array.from({ length: 100 }, async (_, n) => await aSubscriber(stage, `Crowd${n}`)));
    await stage.db.transaction(async () => {
      for (const one of crowd) await storm(stage, one, await aHost(`never${one.id}.example`, one), 10);
    });
    stage.dispatcher.wake();
    await eventually(() => new Set(stage.tries.map(({ event }) => event.customerId)).size === 100);
    await aHost('other.example', bob);
    await happen(stage, bob);
    await eventually(() => triesAt('other.example') === 1);
    expect(inAll()).toBeLessThan(256);
  });

  it('to targets of one customer that come later have their turn while seven others never answer', async () => {
    for (let n = 0; n < 7; n += 1) await storm(stage, ada, await aHost(`never${n}.example`), 100);
    stage.dispatcher.wake();
    await eventually(() => inAll() === 56);
    const later = Array.from({ length: 100 }, (_, n) => `quick${n}.example`);
    for (const host of later) await storm(stage, ada, await aHost(host), 2);
    stage.dispatcher.wake();
    await eventually(() => later.every((host) => triesAt(host) === 2));
    expect(inAll()).toBe(56);
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
