import { Injectable, type OnModuleInit } from '@nestjs/common';
import { ActivityHandlers } from '../../activity/index.js';
import { FormatAvailabilityService } from '../../formats/index.js';
import { ConverterWorkersService } from '../tools/converter-workers.service.js';
import { TranscodingQueueService } from './transcoding-queue.service.js';
import { WaitingTranscodingsRepository } from './waiting-transcodings.repository.js';

/** The actual reason names folders of the machine, which only the operator may see. */
const UNABLE = 'No worker can make renditions at the moment; the operator finds the reason in /health/ready.';

/** Implements for the activities module how a transcoding is cancelled, and what it waits for. */
@Injectable()
export class TranscodingActivitiesAdapter implements OnModuleInit {
  constructor(
    private readonly handlers: ActivityHandlers,
    private readonly queue: TranscodingQueueService,
    private readonly availability: FormatAvailabilityService,
    private readonly workers: ConverterWorkersService,
    private readonly transcodings: WaitingTranscodingsRepository,
  ) {}

  onModuleInit(): void {
    this.handlers.register('transcoding', {
      cancel: async (customerId, id) => await this.queue.cancel(customerId, id),
      describeDelays: async (ids) => await this.describeWaiting(ids),
    });
  }

  /** Describes what transcodings wait for: programs that no worker has, or a worker that is able to work. */
  private async describeWaiting(ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const waiting = await this.transcodings.findWaiting(ids);
    if (await this.workers.areUnable()) return new Map(waiting.map(({ id }) => [id, UNABLE]));
    const reasons = await this.availability.findReasonsOf(waiting.map(({ programs }) => programs));
    return new Map(waiting.map(({ id }, index) => [id, reasons[index] ?? ''] as const).filter(([, reason]) => reason !== ''));
  }
}
