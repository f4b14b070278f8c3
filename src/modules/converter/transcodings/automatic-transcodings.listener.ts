import { Injectable, type OnModuleInit } from '@nestjs/common';
import { type DomainEvent, EventOutboxService, type EventPayloads } from '../../../shared/events/index.js';
import { type Format, FormatReaderService, type VisibleFormats } from '../../formats/index.js';
import { MEDIA_TYPES, MediaReaderRepository, type MediaType } from '../../media/index.js';
import { newTranscodingOf, TranscodingQueueService } from './transcoding-queue.service.js';

/** The managed thumbnail blueprint of each visible media type. */
const THUMBNAILS: ReadonlyMap<MediaType, string> = new Map([
  ['video', 'video-poster'],
  ['image', 'image-thumbnail'],
  ['document', 'document-page'],
]);

const PICTURES: ReadonlySet<string> = new Set(['jpg', 'png', 'webp', 'gif']);

/**
 * The formats that are made from every new upload of a type: the customer's own with autoGenerate, its previews, and a thumbnail if one of these
 * formats needs one and is not itself a thumbnail. transcodingCreateNotAllowed affects only requests.
 */
export function chooseAutomaticFormats({ all }: VisibleFormats, type: MediaType): Format[] {
  const chosen = all.filter((format) => isMadeOf(format, type) && isAutomatic(format, type));
  if (!chosen.some((format) => format.settings.createThumbnailVersions && !isThumbnail(format))) return chosen;
  const key = THUMBNAILS.get(type);
  return [...chosen, ...all.filter(({ blueprintKey }) => blueprintKey !== null && blueprintKey === key)];
}

const isMadeOf = ({ customerId, flag, converter, settings }: Format, type: MediaType): boolean =>
  customerId !== null && flag === 0 && converter !== 'original' && (settings.mediaTypes ?? []).includes(type);

const isAutomatic = ({ usage, settings }: Format, type: MediaType): boolean =>
  (settings.autoGenerate ?? []).includes(type) ||
  (usage === 'preview' && ((settings.previewFormat ?? false) || (settings.createThumbnailVersions ?? false)));

const isThumbnail = ({ usage, settings }: Format): boolean => usage === 'preview' && PICTURES.has(settings.filetype ?? '');

/**
 * Adds transcodings for each original whose upload succeeds, in the transaction that records the success, so that both are stored or neither is.
 */
@Injectable()
export class AutomaticTranscodingsListener implements OnModuleInit {
  constructor(
    private readonly outbox: EventOutboxService,
    private readonly formats: FormatReaderService,
    private readonly media: MediaReaderRepository,
    private readonly queue: TranscodingQueueService,
  ) {}

  onModuleInit(): void {
    this.outbox.addListener(['event:s3success'], 'in-transaction', async (event) => await this.enqueueFor(event));
  }

  private async enqueueFor({ customerId, payload }: DomainEvent): Promise<void> {
    const { mediaContainerId, mediaId: sourceMediaId, role } = payload as EventPayloads['event:s3success'];
    if (role) return; // no renditions are made from a track
    const visible = await this.formats.visibleTo(customerId);
    const wanted = new Map(MEDIA_TYPES.map((type) => [type as string, chooseAutomaticFormats(visible, type)]));
    if ([...wanted.values()].every((formats) => formats.length === 0)) return;
    const container = await this.media.findContainer(customerId, mediaContainerId);
    if (!container) return;
    const source = { customerId, mediaContainerId, sourceMediaId, type: container.type };
    await this.queue.enqueueWithinQuota((wanted.get(container.type) ?? []).map((format) => newTranscodingOf(source, format, visible)));
  }
}
