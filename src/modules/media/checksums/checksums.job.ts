import { crc32 } from 'node:zlib';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DomainError } from '../../../shared/errors.js';
import { JobsService, UNTIL_DONE } from '../../../shared/jobs/index.js';
import { UnsatisfiableRange } from '../../../shared/storage/index.js';
import { AcceptedObjectsService } from '../accepted-objects.service.js';
import { ChecksumsRepository, type UnreadItem } from './checksums.repository.js';

const COMPUTE = 'compute_checksums';
/** Jobs of one queue run one after another, so that on all machines together at most two places for jobs read files for their checksums. */
const QUEUES = 2;
/** The bytes that one job reads, which takes some seconds. A job that has read them continues as a new one, behind the others of its queue. */
const JOB_BYTES = 1_073_741_824;

/** The items of a job, and how much of the first one has been read. */
interface Work {
  readonly mediaIds: readonly number[];
  readonly read?: Progress;
  readonly key: string;
}

/** The first `bytes` of a file, and their CRC-32. */
interface Progress {
  readonly bytes: number;
  readonly crc32: number;
}

const UNREAD: Progress = { bytes: 0, crc32: 0 };

/** Computes the CRC-32 of files for which the storage has none. */
@Injectable()
export class ChecksumsJob implements OnModuleInit {
  constructor(
    private readonly jobs: JobsService,
    private readonly checksums: ChecksumsRepository,
    private readonly objects: AcceptedObjectsService,
  ) {}

  onModuleInit(): void {
    this.jobs.handle<Work>(COMPUTE, async (work) => await this.compute(work, JOB_BYTES));
  }

  /** Adds a job for these items, in the ambient transaction if there is one. While a job with the same name exists, nothing is added. */
  async request(name: string, mediaIds: readonly number[]): Promise<void> {
    if (mediaIds.length > 0) await this.add({ mediaIds, key: `${COMPUTE} ${name}` }, { keepsExisting: true });
  }

  /** Reads at most `maxBytes` of these items, and adds a job for the rest. Throws `storage_unavailable`; the items so far are recorded. */
  async compute({ mediaIds, read = UNREAD, key }: Work, maxBytes: number): Promise<void> {
    let room = maxBytes;
    let before = read;
    for (const [index, id] of mediaIds.entries()) {
      const item = await this.checksums.findUnread(id);
      if (!item) continue;
      const after = await this.read(item, before, room);
      if (after && after.bytes < item.fileSize) return await this.add({ mediaIds: mediaIds.slice(index), read: after, key });
      if (after) await this.checksums.record(item, after.crc32);
      room -= item.fileSize - before.bytes;
      before = UNREAD;
    }
  }

  /** Reads up to `maxBytes` more of an item; null: its object is gone or was replaced. */
  private async read(item: UnreadItem, { bytes, crc32: before }: Progress, maxBytes: number): Promise<Progress | null> {
    const end = Math.min(item.fileSize, bytes + maxBytes);
    if (end === bytes) return { bytes, crc32: before };
    const found = await this.objects.read(item, { start: bytes, end: end - 1 }).catch(nullIfReplaced);
    if (!found) return null;
    let checksum = before;
    let read = bytes;
    for await (const chunk of found.body as AsyncIterable<Buffer>) {
      checksum = crc32(chunk, checksum);
      read += chunk.length;
    }
    if (read !== end) throw new Error(`The storage sent ${read - bytes} of the ${end - bytes} bytes of media item ${item.id}.`);
    return { bytes: end, crc32: checksum };
  }

  private async add(work: Work, { keepsExisting = false } = {}): Promise<void> {
    const queue = `${COMPUTE} ${(work.mediaIds[0] ?? 0) % QUEUES}`;
    await this.jobs.add(COMPUTE, work, { queue, key: work.key, keepsExisting, maxAttempts: UNTIL_DONE });
  }
}

function nullIfReplaced(error: unknown): null {
  if (error instanceof UnsatisfiableRange || (error instanceof DomainError && error.code === 'object_changed')) return null;
  throw error;
}
