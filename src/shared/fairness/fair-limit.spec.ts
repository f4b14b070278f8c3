import { EventEmitter, getEventListeners, getMaxListeners } from 'node:events';
import type { ServerResponse } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import { FairLimit } from './fair-limit.js';
import { clientDisconnected, forClient } from './waiting-client.js';

/** Calls that end when they are told to, in the order in which they began. */
function calls(limit: FairLimit) {
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const call = (party: string, name: string, signal?: AbortSignal) =>
    limit.run(
      party,
      async () => {
        begun.push(name);
        await new Promise<void>((end) => ends.push(end));
        return name;
      },
      { signal },
    );
  /** Until everything that can begin has begun. */
  const settle = async () => await new Promise((resolve) => setImmediate(resolve));
  const endFirst = async () => {
    ends.shift()?.();
    await settle();
  };
  return { begun, call, endFirst, settle };
}

const limitOf = (slots: number, maxWaiting = 100) => new FairLimit({ slots, maxWaiting });

describe('a fair limit', () => {
  it('runs at most as many concurrent calls as it has slots, and returns their results', async () => {
    const { begun, call, endFirst, settle } = calls(limitOf(2));
    const all = Promise.all(['a', 'b', 'c'].map(async (name) => await call('one', name)));
    await settle();
    expect(begun).toEqual(['a', 'b']);
    await endFirst();
    expect(begun).toEqual(['a', 'b', 'c']);
    await endFirst();
    await endFirst();
    expect(await all).toEqual(['a', 'b', 'c']);
  });

  it('gives the parties their turns, however much one of them wants', async () => {
    const { begun, call, endFirst, settle } = calls(limitOf(1));
    const all = ['m1', 'm2', 'm3', 'm4'].map(async (name) => await call('many', name));
    all.push(call('few', 'f1'), call('other', 'o1'));
    await settle();
    for (let n = 0; n < 6; n += 1) await endFirst();
    await Promise.all(all);
    expect(begun).toEqual(['m1', 'm2', 'f1', 'o1', 'm3', 'm4']);
  });

  it('gives the slot of a call that fails to the next', async () => {
    const limit = limitOf(1);
    const failed = limit.run('one', async () => await Promise.reject(new Error('no')));
    await expect(failed).rejects.toThrow('no');
    expect(await limit.run('one', async () => 'next')).toBe('next');
  });

  it('refuses calls beyond its limit: those of the party with most of them, so that others find room', async () => {
    const limit = limitOf(1, 4);
    const { begun, call, endFirst, settle } = calls(limit);
    const ended = ['running', 'm1', 'm2', 'm3', 'm4', 'm5'].map(async (name) => await call('many', name));
    ended.push(call('few', 'f1'), call('few', 'f2'), call('few', 'f3'));
    const outcomes = Promise.allSettled(ended);
    expect(limit.waitingCount).toBe(4);
    await settle();
    for (let n = 0; n < 5; n += 1) await endFirst();
    expect(begun).toEqual(['running', 'm1', 'f1', 'm2', 'f2']);
    expect((await outcomes).flatMap((one) => (one.status === 'rejected' ? one.reason : []))).toMatchObject(
      Array.from({ length: 4 }, () => ({ kind: 'unavailable', code: 'service_unavailable', extras: { retryAfter: 5 } })),
    );
  });

  it('leaves out calls whose signal aborts, and never starts one whose signal has aborted', async () => {
    const limit = limitOf(1);
    const { begun, call, endFirst, settle } = calls(limit);
    const leaving = new AbortController();
    const all = Promise.allSettled([call('one', 'running'), call('one', 'left', leaving.signal), call('one', 'stayed')]);
    leaving.abort();
    expect(limit.waitingCount).toBe(1);
    await expect(call('one', 'late', leaving.signal)).rejects.toThrow();
    await settle();
    await endFirst();
    await endFirst();
    expect(begun).toEqual(['running', 'stayed']);
    expect((await all).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  });

  it.each([
    [false, 'leaves out the calls of a client that disconnects'],
    [true, 'keeps the calls of a client that has its whole response'],
  ])('with a client whose response has ended: %s: %s', async (writableFinished) => {
    const limit = limitOf(1);
    const { call } = calls(limit);
    void call('one', 'running');
    const response = Object.assign(new EventEmitter(), { closed: false, writableFinished });
    const waiting = forClient(response as unknown as ServerResponse, async () => await limit.run('one', async () => 'done'));
    waiting.catch(() => {});
    response.emit('close');
    expect(limit.waitingCount).toBe(writableFinished ? 1 : 0);
  });

  it('keeps any number of calls of one client, about whose listeners Node.js does not warn', async () => {
    const { call, endFirst, settle } = calls(limitOf(1));
    const response = Object.assign(new EventEmitter(), { closed: false, writableFinished: false });
    const names = Array.from({ length: 20 }, (_, n) => `call ${n}`);
    const { all, signal } = forClient(response as unknown as ServerResponse, () => ({
      all: Promise.all(names.map(async (name) => await call('one', name))),
      signal: clientDisconnected() as AbortSignal,
    }));
    await settle();
    expect([getEventListeners(signal, 'abort').length, getMaxListeners(signal)]).toEqual([19, Number.POSITIVE_INFINITY]);
    for (const _ of names) await endFirst();
    expect([await all, getEventListeners(signal, 'abort').length]).toEqual([names, 0]);
  });
});
