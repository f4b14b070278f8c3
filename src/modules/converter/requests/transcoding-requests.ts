import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../shared/auth/index.js';
import { generalErrors } from '../../../shared/errors/index.js';
import { refuseInvalid } from '../../../shared/validation/index.js';
import { type Format, FormatAvailability, FormatReader, type VisibleFormats } from '../../formats/index.js';
import { MediaReader, mediaErrors } from '../../media/index.js';
import { TranscodingQueue } from '../jobs/transcoding-queue.js';
import { findRequestProblem } from './find-request-problem.js';
import { newJobOf } from './new-job-of.js';
import { transcodingErrors } from './transcoding.errors.js';

/** A job that makes one of the formats. */
export interface RequestedJob {
  readonly jobId: string;
  readonly formatId: number;
}

/** Formats that users ask for. */
@Injectable()
export class TranscodingRequests {
  constructor(
    private readonly formats: FormatReader,
    private readonly availability: FormatAvailability,
    private readonly media: MediaReader,
    private readonly queue: TranscodingQueue,
  ) {}

  /**
   * Has formats made of the original of a container; the jobs stand in the order of `formatIds`. Throws `not_found`, `media_container_in_trash`,
   * `media_container_is_watermark`, `original_missing`, `quota_exceeded`, and `validation_failed` with every format that cannot be made.
   */
  async request({ customerId }: Caller, mediaContainerId: number, formatIds: readonly number[]): Promise<readonly RequestedJob[]> {
    const { type, originalId } = await this.getSource(customerId, mediaContainerId);
    const { value: visible } = await this.formats.visibleTo(customerId);
    const formats = await this.check(formatIds, visible, type);
    const source = { customerId, mediaContainerId, sourceMediaId: originalId };
    const jobs = await this.queue.enqueue(formats.map((format) => newJobOf(source, format, visible)));
    const places = new Map(formatIds.map((id, place) => [id, place]));
    const placeOf = ({ formatId }: RequestedJob): number => places.get(formatId) ?? 0;
    return jobs.map(({ jobId, formatId }) => ({ jobId, formatId })).sort((left, right) => placeOf(left) - placeOf(right));
  }

  private async getSource(customerId: number, id: number): Promise<{ type: string; originalId: number }> {
    const found = await this.media.findOriginal(customerId, id);
    if (!found) throw generalErrors.not_found(`There is no media container ${id}.`);
    const { type, flag, originalId } = found;
    if (flag === 1) throw mediaErrors.media_container_in_trash(`The media container ${id} is in the trash.`);
    if (type === 'watermark') throw transcodingErrors.media_container_is_watermark(`The media container ${id} is a watermark asset.`);
    if (originalId === null)
      throw transcodingErrors.original_missing(`The original of the media container ${id} has not arrived, or is gone.`);
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
