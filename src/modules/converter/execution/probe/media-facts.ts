import { displaySize } from '../../../formats/index.js';
import type { MediaFacts } from '../../../media/index.js';
import type { ProbedMedia } from './parse-probe.js';

export const NO_FACTS: MediaFacts = { width: null, height: null, duration: null, codec: null };

/** What a media item tells of its file. */
export function mediaFacts(probed: ProbedMedia, holds: 'media' | 'image'): MediaFacts {
  const size = displaySize(probed);
  return {
    width: size?.width ?? null,
    height: size?.height ?? null,
    duration: holds === 'image' ? null : probed.duration,
    codec: probed.videoCodec ?? probed.audioCodec,
  };
}
