import { Database } from '../../../src/shared/database/index.js';
import type { TestApp } from '../app/test-app.js';
import { type Answer, call } from '../media/uploads.js';

/** What the API answers to who asks for formats. */
export interface TranscodeBody extends Record<string, unknown> {
  readonly jobs: readonly { readonly jobId: string; readonly formatId: number }[];
}

/** Asks for formats of a container. */
export const transcode = async (
  { url }: Pick<TestApp, 'url'>,
  token: string,
  { id, formatIds, headers }: { id: number; formatIds: unknown; headers?: Record<string, string> },
): Promise<Answer<TranscodeBody>> =>
  await call<TranscodeBody>(`${url}/v5/mediacontainer/${id}/transcode`, { token, body: { formatIds }, headers });

export interface WaitingJob {
  readonly id: string;
  readonly customerId: number;
  readonly sourceMediaId: number;
  readonly formatId: number;
  readonly programs: readonly string[];
  readonly priority: number;
}

const FIND_JOBS = `SELECT id, customer_id AS "customerId", source_media_id AS "sourceMediaId", format_id AS "formatId", programs, priority
  FROM transcoding_jobs WHERE media_container_id = $1 ORDER BY is_long, priority, turn, id`;

/** What is to be made of a container, short work first, each in the order in which it is made. */
export const waitingJobs = async ({ app }: Pick<TestApp, 'app'>, containerId: number): Promise<WaitingJob[]> =>
  (await app.get(Database).query<WaitingJob>(FIND_JOBS, [containerId])).rows;
