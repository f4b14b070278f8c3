import { runInThread } from '../../../shared/threads/index.js';
import { convertTextTrack, type TrackProblem } from './convert-text-track.js';

/** A text track as WebVTT in UTF-8, encoded in the thread, too. */
export interface EncodedTrack {
  readonly webVtt: Uint8Array;
  readonly problem: TrackProblem | null;
}

/** The file of a text track, and the tag of its language; null: unknown. */
export interface TrackFile {
  readonly content: Uint8Array;
  readonly language: string | null;
}

runInThread(({ content, language }: TrackFile): EncodedTrack => {
  const { text, problem } = convertTextTrack(Buffer.from(content.buffer, content.byteOffset, content.length), language);
  return { webVtt: Buffer.from(text), problem };
});
