import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { Caller } from '../../../shared/auth/index.js';
import { type FieldProblem, generalErrors } from '../../../shared/errors.js';
import { refuseInvalid } from '../../../shared/validation/index.js';
import { type Format, FormatAvailabilityService, FormatReaderService, type VisibleFormats } from '../../formats/index.js';
import { type LostRendition, LostRenditions, MediaQueries, mediaErrors } from '../../media/index.js';
import { newTranscodingOf, TranscodingQueueService } from './transcoding-queue.service.js';
import { transcodingRequestErrors } from './transcodings.errors.js';

/** A format that a caller requests. */
interface RequestedFormat {
  readonly id: number;
  /** As the customer sees it; absent: the customer sees no format of this id. */
  readonly format: Format | undefined;
  /** Why no worker can make it; absent: one can, or no worker runs. */
  readonly unavailable: string | undefined;
}

/** Why a format cannot be made of a container of this type; null: it can. */
function findRequestProblem({ id, format, unavailable }: RequestedFormat, type: string): Omit<FieldProblem, 'path'> | null {
  if (!format) return { code: 'not_found', message: `there is no format ${id}` };
  if (format.flag === 1) return { code: 'format_deleted', message: `the format ${id} is deleted` };
  if (format.configuration?.transcodingCreateNotAllowed)
    return {
      code: 'transcoding_not_allowed',
      message: `the format ${id} may not be asked for (configuration.transcodingCreateNotAllowed)`,
    };
  if (format.converter === 'original') return { code: 'original_format', message: `the format ${id} is the original itself` };
  const mediaTypes: readonly string[] = format.settings.mediaTypes ?? [];
  if (!mediaTypes.includes(type))
    return { code: 'media_type', message: `the format ${id} is made from ${mediaTypes.join(', ')}, not from ${type}` };
  if (unavailable === undefined) return null;
  return { code: 'format_unavailable', message: unavailable.replace(/\.$/, '') }; // one of several problems in a sentence
}

/** The transcoding that makes one of the formats. */
interface RequestedTranscoding {
  readonly jobId: string;
  readonly formatId: number;
}

/** Renditions that users request, and those that replace lost ones. */
@Injectable()
export class TranscodingRequestsService implements OnModuleInit {
  constructor(
    private readonly formats: FormatReaderService,
    private readonly availability: FormatAvailabilityService,
    private readonly media: MediaQueries,
    private readonly queue: TranscodingQueueService,
    private readonly lostRenditions: LostRenditions,
  ) {}

  onModuleInit(): void {
    this.lostRenditions.register(async (rendition) => await this.makeAgain(rendition));
  }

  /**
   * Starts transcodings of a container's original; the result is in the order of `formatIds`. Throws `not_found`, `media_container_in_trash`,
   * `media_container_is_watermark`, `original_missing`, `quota_exceeded`, and `validation_failed` with every format that cannot be made.
   */
  async request({ customerId }: Caller, mediaContainerId: number, formatIds: readonly number[]): Promise<readonly RequestedTranscoding[]> {
    const { type, originalId } = await this.getSource(customerId, mediaContainerId);
    const { value: visible } = await this.formats.visibleTo(customerId);
    const formats = await this.check(formatIds, visible, type);
    const source = { customerId, mediaContainerId, sourceMediaId: originalId };
    const queued = await this.queue.enqueue(formats.map((format) => newTranscodingOf(source, format, visible)));
    const places = new Map(formatIds.map((id, place) => [id, place]));
    const placeOf = ({ formatId }: RequestedTranscoding): number => places.get(formatId) ?? 0;
    return queued.map(({ jobId, formatId }) => ({ jobId, formatId })).sort((left, right) => placeOf(left) - placeOf(right));
  }

  /** Null if the format or the original is gone. The rights of callers are not checked, because the rendition existed before. */
  private async makeAgain({ customerId, mediaContainerId, formatId }: LostRendition): Promise<string | null> {
    const original = await this.media.findOriginal(customerId, mediaContainerId);
    const { value: visible } = await this.formats.visibleTo(customerId);
    const format = visible.byId.get(formatId ?? 0);
    if (!original?.originalId || !format || format.flag === 1 || format.converter === 'original') return null;
    const source = { customerId, mediaContainerId, sourceMediaId: original.originalId };
    const [queued] = await this.queue.enqueue([newTranscodingOf(source, format, visible)]);
    return queued?.jobId ?? null;
  }

  private async getSource(customerId: number, id: number): Promise<{ type: string; originalId: number }> {
    const found = await this.media.findOriginal(customerId, id);
    if (!found) throw generalErrors.not_found(`There is no media container ${id}.`);
    const { type, flag, originalId } = found;
    if (flag === 1) throw mediaErrors.media_container_in_trash(`The media container ${id} is in the trash.`);
    if (type === 'watermark')
      throw transcodingRequestErrors.media_container_is_watermark(`The media container ${id} is a watermark asset.`);
    if (originalId === null)
      throw transcodingRequestErrors.original_missing(`The original of the media container ${id} has not been uploaded, or was removed.`);
    return { type, originalId };
  }

  private async check(formatIds: readonly number[], visible: VisibleFormats, type: string): Promise<Format[]> {
    const asked = formatIds.map((id) => ({ id, format: visible.byId.get(id) }));
    const formats = asked.flatMap(({ format }) => (format ? [format] : []));
    const reasons = await this.availability.findReasons(formats, visible);
    refuseInvalid(
      asked.flatMap((one, index) => {
        const problem = findRequestProblem({ ...one, unavailable: reasons.get(one.id) }, type);
        return problem ? [{ path: `formatIds.${index}`, ...problem }] : [];
      }),
    );
    return formats;
  }
}
