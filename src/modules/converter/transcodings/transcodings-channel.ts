/**
 * The channel of PostgreSQL that notifies workers: `ready` (there may be a transcoding to claim), `cancelled <id>`, or an empty message when the
 * connection is back after an interruption.
 */
export const TRANSCODINGS_CHANNEL = 'transcoding_jobs';

export const READY = 'ready';

/** The message that a transcoding was cancelled or released. */
export const cancelled = (id: string): string => `cancelled ${id}`;

/** The id in such a message; null for another message. */
export const cancelledIdIn = (message: string): string | null => /^cancelled (.+)$/.exec(message)?.[1] ?? null;
