import { runInThread } from '../../../shared/threads/index.js';
import { convertTextTrack, type TrackProblem } from './convert-text-track.js';

/** A text track as WebVTT in UTF-8, encoded in the thread, too. */
export interface EncodedTrack {
  readonly webVtt: Uint8Array;
  readonly problem: TrackProblem | null;
}

runInThread((content: Uint8Array): EncodedTrack => {
  const { text, problem } = convertTextTrack(Buffer.from(content.buffer, content.byteOffset, content.length));
  return { webVtt: Buffer.from(text), problem };
});
