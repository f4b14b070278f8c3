import { expect, it } from '@jest/globals';
import { RequestSlots } from './request-slots.js';

function start(slots: RequestSlots, sizes: number[]) {
  const running = new Set<number>();
  const ends = sizes.map((bytes, index) => {
    let finish = () => {};
    const done = slots.run(bytes, async () => {
      running.add(index);
      await new Promise<void>((resolve) => {
        finish = resolve;
      });
      running.delete(index);
    });
    return async () => {
      finish();
      await done;
    };
  });
  return { running, end: async (index: number) => await ends[index]?.() };
}

const settle = async () => await new Promise(setImmediate);

it('runs no more requests than it may, in their order', async () => {
  const { running, end } = start(new RequestSlots({ requests: 2, bytes: 100 }), [1, 1, 1, 1]);
  await settle();
  expect([...running]).toEqual([0, 1]);
  await end(1);
  await settle();
  expect([...running]).toEqual([0, 2]);
});

it('has no more bytes under way than it may', async () => {
  const { running, end } = start(new RequestSlots({ requests: 4, bytes: 10 }), [5, 5, 5, 1]);
  await settle();
  expect([...running]).toEqual([0, 1]);
  await end(0);
  await settle();
  expect([...running]).toEqual([1, 2]);
});

it('permits a single request of any size', async () => {
  const { running, end } = start(new RequestSlots({ requests: 4, bytes: 10 }), [50, 1]);
  await settle();
  expect([...running]).toEqual([0]);
  await end(0);
  await settle();
  expect([...running]).toEqual([1]);
});

it('gives the place of a request that failed to the next', async () => {
  const slots = new RequestSlots({ requests: 1, bytes: 10 });
  const failed = slots.run(1, async () => {
    throw new Error('broken');
  });
  const next = slots.run(1, async () => 'done');
  await expect(failed).rejects.toThrow('broken');
  expect(await next).toBe('done');
});
