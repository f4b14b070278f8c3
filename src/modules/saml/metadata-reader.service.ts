import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Clock } from '../../shared/clock.js';
import { LimitedThread, ThreadLimitExceeded } from '../../shared/threads/index.js';
import { invalidInput } from '../../shared/validation/index.js';
import type { IdpMetadata, ReadMetadata } from './read-metadata.js';
import type { SentMetadata } from './read-metadata.thread.js';

/** Wall-clock time; the largest metadata that is accepted takes a hundredth of it, also on a busy machine. */
const MAX_MS = 30_000;
/** Ten times what the largest metadata needs. */
const MAX_HEAP_MB = 128;

/** Reads metadata that clients send, in a separate thread, so that other requests go on whatever it contains. */
@Injectable()
export class MetadataReaderService implements OnApplicationShutdown {
  private readonly thread = new LimitedThread<SentMetadata, ReadMetadata>(new URL('./read-metadata.thread.js', import.meta.url), {
    maxMs: MAX_MS,
    maxHeapMb: MAX_HEAP_MB,
  });

  constructor(private readonly clock: Clock) {}

  async onApplicationShutdown(): Promise<void> {
    await this.thread.end();
  }

  /** @throws DomainError 400 `validation_failed` with everything that is wrong with the metadata */
  async read(xml: string, customerId: number): Promise<IdpMetadata> {
    const read = await this.readInThread(xml, customerId);
    if ('metadata' in read) return read.metadata;
    throw invalidInput({ path: 'metadata', code: 'metadata', message: read.problems.join(' ') });
  }

  private async readInThread(xml: string, customerId: number): Promise<ReadMetadata> {
    try {
      return await this.thread.run({ xml, now: this.clock.now() }, customerId);
    } catch (error) {
      if (!(error instanceof ThreadLimitExceeded)) throw error;
      return {
        problems: ['Reading the metadata takes too long or too much memory; send the EntityDescriptor of your identity provider only.'],
      };
    }
  }
}
