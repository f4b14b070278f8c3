import { randomUUID } from 'node:crypto';
import { ActivitiesRepository } from '../../../src/modules/activity/index.js';
import { Database } from '../../../src/shared/database/index.js';
import type { TestApp } from '../app/test-app.js';

/** A job of the converter as those see it who wait for it. */
export interface Transcoding {
  advance(progress: number): Promise<void>;
  /** By a program, unless another code is named. */
  fail(code?: string): Promise<void>;
  succeed(result?: object): Promise<void>;
}

/** A job that is under way, without a worker. */
export async function aTranscoding(
  { app }: Pick<TestApp, 'app'>,
  { containerId, formatId, progress = 0 }: { containerId: number; formatId: number; progress?: number },
): Promise<Transcoding> {
  const [activities, id] = [app.get(ActivitiesRepository), randomUUID()];
  const owner = await app
    .get(Database)
    .queryOne<{ customerId: number }>('SELECT customer_id AS "customerId" FROM media_containers WHERE id = $1', [containerId]);
  if (!owner) throw new Error(`There is no container ${containerId}.`);
  await activities.start({
    id,
    customerId: owner.customerId,
    clientId: null,
    type: 'transcoding',
    mediaContainerId: containerId,
    formatId,
  });
  await activities.advance(id, progress);
  return {
    advance: async (percent) => await activities.advance(id, percent),
    fail: async (code = 'tool_failed') =>
      void (await activities.finish(id, { code, message: 'ffmpeg: /work/secret.mov could not be read.' })),
    succeed: async (result = {}) => void (await activities.finish(id, { result: { status: 'successful', ...result } })),
  };
}
