import { runInThread } from '../../shared/threads/index.js';
import { type ReadMetadata, readMetadata } from './read-metadata.js';

/** Metadata as a client sent it. */
export interface SentMetadata {
  readonly xml: string;
  readonly now: Date;
}

runInThread(({ xml, now }: SentMetadata): ReadMetadata => readMetadata(xml, now));
