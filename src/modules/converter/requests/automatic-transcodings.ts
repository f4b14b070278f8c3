import { Injectable, type OnModuleInit } from '@nestjs/common';
import { type DomainEvent, EventOutbox, type EventPayloads } from '../../../shared/events/index.js';
import { FormatReader, MEDIA_TYPES } from '../../formats/index.js';
import { MediaReader } from '../../media/index.js';
import { TranscodingQueue } from '../jobs/transcoding-queue.js';
import { chooseAutomaticFormats } from './choose-automatic-formats.js';
import { newJobOf } from './new-job-of.js';

/**
 * Has formats made of each upload that arrives, in the transaction that records it: with the success the jobs are there, or neither. It asks
 * the database nothing for customers who want nothing made.
 */
@Injectable()
export class AutomaticTranscodings implements OnModuleInit {
  constructor(
    private readonly outbox: EventOutbox,
    private readonly formats: FormatReader,
    private readonly media: MediaReader,
    private readonly queue: TranscodingQueue,
  ) {}

  onModuleInit(): void {
    this.outbox.witness(async (event) => {
      if (event.name === 'event:s3success') await this.begin(event);
    });
  }

  private async begin({ customerId, payload }: DomainEvent): Promise<void> {
    const { mediaContainerId, mediaId: sourceMediaId } = payload as EventPayloads['event:s3success'];
    const { value: visible } = await this.formats.visibleTo(customerId);
    const wanted = new Map(MEDIA_TYPES.map((type) => [type as string, chooseAutomaticFormats(visible, type)]));
    if ([...wanted.values()].every((formats) => formats.length === 0)) return;
    const container = await this.media.findContainer(customerId, mediaContainerId);
    const source = { customerId, mediaContainerId, sourceMediaId };
    await this.queue.enqueueAllowed((wanted.get(container?.type ?? '') ?? []).map((format) => newJobOf(source, format, visible)));
  }
}
