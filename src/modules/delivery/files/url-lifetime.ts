import type { DeliverableItem } from '../../media/index.js';

/** Enough to begin; once begun, an answer goes on beyond it. */
const TO_BEGIN_SECONDS = 300;
/** What players are told nothing better about. */
const UNKNOWN_DURATION_SECONDS = 3_600;
/** Credentials of roles do not last longer in general, and URLs not longer than they. */
const MAX_SECONDS = 6 * 3_600;

/** Seconds for which a URL of a file works. Players ask for further ranges of it while they play: twice the duration leaves room for pauses. */
export function urlLifetime({ type, duration }: Pick<DeliverableItem, 'type' | 'duration'>, { download }: { download: boolean }): number {
  if (download || (type !== 'video' && type !== 'audio')) return TO_BEGIN_SECONDS;
  return Math.min(MAX_SECONDS, TO_BEGIN_SECONDS + Math.ceil(2 * (duration ?? UNKNOWN_DURATION_SECONDS)));
}
