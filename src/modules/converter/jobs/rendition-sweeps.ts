import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Database } from '../../../shared/database/index.js';
import { Jobs, UNTIL_DONE } from '../../../shared/jobs/index.js';
import { ObjectStorage } from '../../../shared/storage/index.js';
import { Clock } from '../../../shared/time/index.js';
import { MediaInventory } from '../../media/index.js';
import { type RenditionPlace, renditionKey, renditionPrefix } from './rendition-key.js';

const TASK = 'sweep_renditions';

/** A worker that stalled in the middle of an upload has ended by then, with its credentials or its process. */
const AGAIN_AFTER_MS = 3_600_000;

const FIND_ATTEMPT = `SELECT attempt FROM transcoding_jobs WHERE id = $1`;

/** Removes what attempts of a job left in the storage that did not become media. */
@Injectable()
export class RenditionSweeps implements OnModuleInit {
  constructor(
    private readonly clock: Clock,
    private readonly database: Database,
    private readonly inventory: MediaInventory,
    private readonly jobs: Jobs,
    private readonly storage: ObjectStorage,
  ) {}

  onModuleInit(): void {
    this.jobs.handle<RenditionPlace>(TASK, async (place) => await this.sweep(place));
  }

  /** Now, and once more when nobody can be writing there any more; in the ambient transaction. */
  async request({ customerId, mediaContainerId, id }: RenditionPlace): Promise<void> {
    const place = { customerId, mediaContainerId, id };
    const later = new Date(this.clock.now().getTime() + AGAIN_AFTER_MS);
    await this.jobs.add(TASK, place, { key: `${TASK} ${id}`, maxAttempts: UNTIL_DONE });
    await this.jobs.add(TASK, place, { key: `${TASK} ${id} again`, runAt: later, maxAttempts: UNTIL_DONE });
  }

  /** The storage is asked first: what it shows, and the database knows nothing of afterwards, never becomes media. */
  private async sweep(place: RenditionPlace): Promise<void> {
    const prefix = renditionPrefix(place);
    const [objects, uploads] = [await all(this.storage.list(prefix)), await all(this.storage.listMultipartUploads(prefix))];
    const isKept = await this.keptOf(
      place,
      objects.map(({ key }) => key),
    );
    for (const upload of uploads) if (!isKept(upload.key)) await this.storage.abortMultipartUpload(upload);
    await this.storage.deleteMany(objects.map(({ key }) => key).filter((key) => !isKept(key)));
  }

  /** What is media, and what the attempt writes that is under way. */
  private async keptOf(place: RenditionPlace, keys: readonly string[]): Promise<(key: string) => boolean> {
    const current = await this.database.queryOne<{ attempt: number }>(FIND_ATTEMPT, [place.id]);
    const media = new Set((await this.inventory.findManyByKey(keys)).map(({ s3Key }) => s3Key));
    const underWay = current && renditionKey({ ...place, ...current }, '');
    return (key) => media.has(key) || (underWay !== null && key.startsWith(underWay));
  }
}

async function all<Entry>(entries: AsyncIterable<Entry>): Promise<Entry[]> {
  const found: Entry[] = [];
  for await (const entry of entries) found.push(entry);
  return found;
}
