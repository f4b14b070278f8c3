import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Clock } from '../../../shared/clock.js';
import { type DomainEvent, EventOutboxService, type EventPayloads } from '../../../shared/events/index.js';
import { JobsService } from '../../../shared/jobs/index.js';
import { FileDescriptionsRepository } from '../../media/index.js';
import { EmbeddedWordsJob } from './embedded-words.job.js';
import { InspectionsService } from './inspections.service.js';

const INSPECT = 'inspect_file';
const INSPECT_OLDER = 'inspect_older_files';
/** Items that are listed at a time. */
const BATCH_SIZE = 100;
/** A run ends before the next one is due. */
const MAX_RUN_MS = 50_000;

/** Inspects files in the background: each upload after its success, and one after the other those that an earlier version of the service stored. */
@Injectable()
export class InspectionJob implements OnModuleInit {
  constructor(
    private readonly outbox: EventOutboxService,
    private readonly jobs: JobsService,
    private readonly descriptions: FileDescriptionsRepository,
    private readonly inspections: InspectionsService,
    private readonly words: EmbeddedWordsJob,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.outbox.addListener(['event:s3success'], 'in-transaction', async (event) => await this.request(event));
    this.jobs.handle<{ mediaId: number }>(INSPECT, async ({ mediaId }) => {
      await this.inspections.inspect(mediaId);
      await this.words.request(mediaId);
    });
    this.jobs.handle(INSPECT_OLDER, async () => await this.inspectOlder());
    this.jobs.schedule(INSPECT_OLDER, '* * * * *');
  }

  /** Adds the job in the transaction that records the success; others wait for what it finds out. The files of a customer wait for each other, so that they do not delay other jobs. */
  private async request({ customerId, payload }: DomainEvent): Promise<void> {
    const { mediaId } = payload as EventPayloads['event:s3success'];
    await this.jobs.add(INSPECT, { mediaId }, { queue: `${INSPECT} ${customerId}`, key: `${INSPECT} ${mediaId}`, isUrgent: true });
  }

  /** Inspects items without a description, until none is left or the time of a run is over. */
  async inspectOlder(): Promise<void> {
    const endsAt = this.clock.now().getTime() + MAX_RUN_MS;
    const list = async () => await this.descriptions.listMissing(BATCH_SIZE);
    for (let ids = await list(); ids.length > 0; ids = await list()) {
      for (const id of ids) {
        await this.inspections.inspect(id);
        if (this.clock.now().getTime() > endsAt) return;
      }
    }
  }
}
