/**
 * On this channel of PostgreSQL workers are told of jobs: `ready` (there may be one to take), `cancelled <jobId>`, or nothing known (empty,
 * when the connection is back).
 */
export const TRANSCODINGS_CHANNEL = 'transcoding_jobs';

export const READY = 'ready';

/** How it is told that a job was taken away from whoever works on it. */
export const cancelled = (jobId: string): string => `cancelled ${jobId}`;

/** The job of such a message; null for another one. */
export const jobOfCancellation = (message: string): string | null => /^cancelled (.+)$/.exec(message)?.[1] ?? null;
