import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { Caller } from '../../../shared/auth/index.js';
import { DomainError, type FieldProblem, generalErrors } from '../../../shared/errors.js';
import { invalidInput, refuseInvalid } from '../../../shared/validation/index.js';
import { FORMAT_DESTROYED, type Format, FormatAvailabilityService, FormatReaderService } from '../../formats/index.js';
import {
  type ContainerSource,
  IN_TRASH,
  type LostRendition,
  LostRenditions,
  MediaReaderRepository,
  mediaErrors,
} from '../../media/index.js';
import {
  newTranscodingOf,
  type RenditionRequest,
  renditionRequestOf,
  TranscodingQueueService,
  type TranscodingSource,
  toNewTranscoding,
} from './transcoding-queue.service.js';
import { transcodingRequestErrors } from './transcodings.errors.js';

/** A format that a caller requests. */
interface RequestedFormat {
  readonly id: number;
  /** The format as the customer sees it; absent: the customer sees no format with this id. */
  readonly format: Format | undefined;
  /** Why no worker can make it; absent: a worker can, or no worker runs. */
  readonly unavailable: string | undefined;
}

/** Why a format cannot be made from a container of this type; null: it can. */
function findRequestProblem({ id, format, unavailable }: RequestedFormat, type: string): Omit<FieldProblem, 'path'> | null {
  if (!format) return { code: 'not_found', message: `there is no format ${id}` };
  if (format.flag === FORMAT_DESTROYED) return { code: 'format_deleted', message: `the format ${id} is deleted` };
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

/** The problems of all formats that cannot be made from a container of this type; `member` is the member of the input that lists them. */
const findFormatProblems = (formats: readonly RequestedFormat[], type: string, member: string): FieldProblem[] =>
  formats.flatMap((format, index) => {
    const problem = findRequestProblem(format, type);
    return problem ? [{ path: `${member}.${index}`, ...problem }] : [];
  });

/** Formats that a caller requests, in the order of the request. */
interface RequestedFormats {
  readonly formats: readonly RequestedFormat[];
  /** The requests for the formats that the customer sees. */
  readonly renditions: readonly RenditionRequest[];
}

/** A container with an original that can be transcoded. */
type TranscodableContainer = ContainerSource & { readonly originalId: number };

/** A request for formats of many containers. */
interface BulkTranscodingRequest {
  readonly ids: readonly number[];
  readonly formatIds: readonly number[];
  /** The flag that the containers are about to get; absent: they keep theirs. */
  readonly flag?: ContainerSource['flag'];
}

/** The transcoding that makes one of the formats. */
interface RequestedTranscoding {
  readonly jobId: string;
  readonly formatId: number;
}

/** Starts transcodings that users request, and those that replace lost renditions. */
@Injectable()
export class TranscodingRequestsService implements OnModuleInit {
  constructor(
    private readonly formats: FormatReaderService,
    private readonly availability: FormatAvailabilityService,
    private readonly media: MediaReaderRepository,
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
    const [found] = await this.media.findOriginals(customerId, [mediaContainerId]);
    const container = found ? asTranscodable(found) : generalErrors.not_found(`There is no media container ${mediaContainerId}.`);
    if (container instanceof DomainError) throw container;
    const { formats, renditions } = await this.findFormats(customerId, formatIds);
    refuseInvalid(findFormatProblems(formats, container.type, 'formatIds'));
    const source = toSource(customerId, container);
    const queued = await this.queue.enqueue(renditions.map((rendition) => toNewTranscoding(source, rendition)));
    const places = new Map(formatIds.map((id, place) => [id, place]));
    const placeOf = ({ formatId }: RequestedTranscoding): number => places.get(formatId) ?? 0;
    return queued.map(({ jobId, formatId }) => ({ jobId, formatId })).sort((left, right) => placeOf(left) - placeOf(right));
  }

  /**
   * Starts transcodings for many existing containers, in the ambient transaction: all formats of a container or none. Returns why there are none for
   * some containers, by their ids.
   */
  async requestMany({ customerId }: Caller, { ids, formatIds, flag }: BulkTranscodingRequest): Promise<ReadonlyMap<number, DomainError>> {
    const { formats, renditions } = await this.findFormats(customerId, formatIds);
    const found = await this.media.findOriginals(customerId, ids);
    const types = [...new Set(found.map(({ type }) => type))];
    const refusals = new Map(types.map((type) => [type, refusalOf(findFormatProblems(formats, type, 'transcode'))]));
    const refused = new Map<number, DomainError>();
    const ready: TranscodableContainer[] = [];
    for (const one of found) {
      const container = asTranscodable({ ...one, flag: flag ?? one.flag });
      const formatRefusal = refusals.get(one.type);
      if (container instanceof DomainError) refused.set(one.id, container);
      else if (formatRefusal) refused.set(one.id, formatRefusal);
      else ready.push(container);
    }
    const sources = ready.map((container) => toSource(customerId, container));
    const { added, refusal } = await this.queue.enqueueOfMany(customerId, sources, renditions);
    if (refusal) for (const { id } of ready.slice(added)) refused.set(id, refusal);
    return refused;
  }

  /**
   * Starts the transcoding of a lost rendition; null if the format or the original is gone. Rights of callers are not checked, because the rendition
   * existed before.
   */
  private async makeAgain({ customerId, mediaContainerId, formatId }: LostRendition): Promise<string | null> {
    const [original] = await this.media.findOriginals(customerId, [mediaContainerId]);
    const visible = await this.formats.visibleTo(customerId);
    const format = visible.byId.get(formatId ?? 0);
    if (!original?.originalId || !format || format.flag === FORMAT_DESTROYED || format.converter === 'original') return null;
    const source = toSource(customerId, { ...original, originalId: original.originalId });
    const [queued] = await this.queue.enqueue([newTranscodingOf(source, format, visible)]);
    return queued?.jobId ?? null;
  }

  private async findFormats(customerId: number, ids: readonly number[]): Promise<RequestedFormats> {
    const visible = await this.formats.visibleTo(customerId);
    const known = ids.flatMap((id) => visible.byId.get(id) ?? []);
    const reasons = await this.availability.findReasons(known, visible);
    const formats = ids.map((id) => ({ id, format: visible.byId.get(id), unavailable: reasons.get(id) }));
    return { formats, renditions: known.map((format) => renditionRequestOf(format, visible)) };
  }
}

const refusalOf = (problems: readonly FieldProblem[]): DomainError | null => (problems.length > 0 ? invalidInput(...problems) : null);

/** The container with its original, or why nothing can be made from it. */
function asTranscodable(container: ContainerSource): TranscodableContainer | DomainError {
  const { id, type, flag, originalId } = container;
  if (flag === IN_TRASH) return mediaErrors.media_container_in_trash(`The media container ${id} is in the trash.`);
  if (type === 'watermark') return transcodingRequestErrors.media_container_is_watermark(`The media container ${id} is a watermark asset.`);
  if (originalId === null)
    return transcodingRequestErrors.original_missing(`The original of the media container ${id} has not been uploaded, or was removed.`);
  return { ...container, originalId };
}

const toSource = (customerId: number, { id, type, originalId }: TranscodableContainer): TranscodingSource => ({
  customerId,
  type,
  mediaContainerId: id,
  sourceMediaId: originalId,
});
