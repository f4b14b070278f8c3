import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ActivitiesService } from '../../src/modules/activity/activities.service.js';
import { WorkFoldersService } from '../../src/modules/converter/execution/work-folders.service.js';
import { UnavailableTranscodingsJob } from '../../src/modules/converter/transcodings/unavailable-transcodings.job.js';
import { FormatAvailabilityService } from '../../src/modules/formats/index.js';
import type { Caller } from '../../src/shared/auth/index.js';
import { HealthController } from '../../src/shared/health/health.controller.js';
import { aResponse } from '../support/accounts/exchange.js';
import { capturedLog } from '../support/captured-log.js';
import { aJob, createTranscodingWorld, storyOf, type TranscodingWorld } from '../support/converter/transcoding-stage.js';
import { eventually } from '../support/eventually.js';

const PROBLEM = 'The temporary folder /tmp cannot be used. It cannot be written (EROFS).';

let world: TranscodingWorld;
beforeEach(async () => {
  world = await createTranscodingWorld();
});
afterEach(async () => await world.close());

describe('a worker whose machine has no temporary folder', () => {
  it('claims no job, reports the reason once in its log and in readiness, and works as soon as it can', async () => {
    const { log, lines } = capturedLog();
    let problem: string | null = PROBLEM;
    let looks = 0;
    const stage = await world.start({
      worker: 'inline',
      log,
      prepare: (get) => {
        get(WorkFoldersService).findProblem = async () => {
          looks += 1;
          return problem;
        };
      },
    });
    const context = { host: 'localhost', clientAddress: '127.0.0.1' };
    const request = { headers: {}, socket: { remoteAddress: '127.0.0.1' }, context };
    const ready = async () => await stage.process.get(HealthController).ready(request as never, aResponse() as never);
    const { jobId, customerId } = await aJob(stage);
    await eventually(async () => (await ready()).status === 'degraded');
    const { reasons, details } = await ready();
    expect(reasons).toEqual([expect.stringMatching(/^A worker on \S+ makes no renditions\. The temporary folder \/tmp cannot be used\./)]);
    expect(details?.converter).toMatchObject({ workers: 0, programs: {}, isolation: null, problems: reasons });

    const activities = stage.process.get(ActivitiesService);
    const [shown] = await activities.list({ customerId, scopes: new Set(['api']) } as unknown as Caller, { limit: 10 });
    expect(shown?.message).toBe('No worker can make renditions at the moment; the operator finds the reason in /health/ready.');
    expect(await stage.process.get(FormatAvailabilityService).missing(['ffmpeg'])).toEqual([]); // as if no worker ran

    for (let n = 0; n < 3; n += 1) {
      const before = looks;
      stage.clock.advance(15);
      stage.worker.wake();
      await eventually(() => looks > before);
    }
    expect(lines.filter((line) => JSON.stringify(line).includes(PROBLEM))).toHaveLength(1);
    expect(lines.filter(({ msg }) => msg === 'cannot look for transcoding jobs, trying again')).toEqual([]);
    expect(stage.attempts).toEqual([]);

    problem = null;
    stage.clock.advance(15);
    stage.worker.wake();
    await eventually(async () => (await storyOf(stage, jobId)).status === 'successful');
    expect(await ready()).toMatchObject({ status: 'ok', details: { converter: { workers: 1 } } });
    expect((await ready()).reasons).toBeUndefined();
  });

  it('does not have jobs end for want of programs', async () => {
    const stage = await world.start({
      worker: 'inline',
      prepare: (get) => {
        get(WorkFoldersService).findProblem = async () => PROBLEM;
      },
    });
    const { jobId } = await aJob(stage);
    await eventually(async () => (await stage.db.query('SELECT FROM converter_workers')).rowCount === 1);
    await stage.db.query(`UPDATE transcoding_jobs SET programs = '{ffmpeg}', ready_at = now() - interval '2 days'`);
    await stage.process.get(UnavailableTranscodingsJob).end([jobId]);
    expect((await storyOf(stage, jobId)).status).toBe('running');
  });
});
