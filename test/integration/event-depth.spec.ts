import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { atEventDepth, currentEventDepth } from '../../src/shared/events/index.js';
import { JobsService } from '../../src/shared/jobs/index.js';
import { startTestContext, type TestContext } from '../support/app/test-context.js';
import { eventually } from '../support/eventually.js';

describe('the depth of events', () => {
  const ran: { depth: number; payload: unknown }[] = [];
  let process: TestContext;
  beforeAll(async () => {
    process = await startTestContext({
      worker: 'inline',
      prepare: (get) => {
        const jobs = get(JobsService);
        jobs.handle<{ left: number }>('chain', async (payload) => {
          ran.push({ depth: currentEventDepth(), payload });
          if (payload.left > 0) await jobs.add('chain', { left: payload.left - 1 });
        });
      },
    });
  });
  afterAll(async () => {
    await process.close();
  });

  it('is passed on to added jobs and their jobs, without being part of their payloads', async () => {
    const jobs = process.get(JobsService);
    await atEventDepth(3, async () => await jobs.add('chain', { left: 2 }));
    await eventually(() => ran.length === 3);
    await jobs.add('chain', { left: 0 });
    await eventually(() => ran.length === 4);
    expect(ran).toEqual([
      { depth: 3, payload: { left: 2 } },
      { depth: 3, payload: { left: 1 } },
      { depth: 3, payload: { left: 0 } },
      { depth: 0, payload: { left: 0 } },
    ]);
  });
});
