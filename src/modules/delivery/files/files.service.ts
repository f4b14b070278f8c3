import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { Clock } from '../../../shared/clock.js';
import { mimeTypeOf } from '../../../shared/mime-type-of.js';
import { SeriesCounter, seriesByValue } from '../../../shared/series-counter.js';
import { SharedWork } from '../../../shared/shared-work.js';
import type { ObjectUrlOptions } from '../../../shared/storage/index.js';
import { PreviewProgressService } from '../../converter/index.js';
import { isUsedInPlayer } from '../../formats/index.js';
import { AcceptedObjectsService, type DeliverableItem } from '../../media/index.js';
import type { BandwidthRule } from '../../player-configurations/index.js';
import { DeliveryCountsService } from '../../statistics/index.js';
import type { CompiledPolicy } from '../decision/decide-delivery.js';
import type { Viewer } from '../decision/rules/delivery-rule.js';
import { deliveryErrors } from '../delivery.errors.js';
import { DeliveryGateService, type DeliveryRequest, type OpenedLink } from '../gate/delivery-gate.service.js';
import { visitOf } from '../gate/visit-of.js';
import { FetchedPlaysService } from '../plays/fetched-plays.service.js';
import { hasActiveContent } from './active-content.js';
import { chooseFormat, findStreamed } from './choose-file.js';
import type { StreamedFile } from './file-stream.service.js';
import { PlaybackLeasesRepository } from './playback-leases.repository.js';
import { figuresOf, requestedBytes } from './requested-bytes.js';

/** The URL of a file at the storage or a CDN, or the file itself if a bandwidth limit applies. */
export type DeliveredFile = { readonly url: string } | { readonly stream: StreamedFile };

/** A file that a viewer gets. */
interface Delivery extends Pick<ObjectUrlOptions, 'disposition' | 'expiresInSeconds'> {
  readonly item: DeliverableItem;
  /** Whether viewers get the same URL for a while. */
  readonly isShared?: boolean;
}

/** The time for which a URL is shared; when it is returned for the last time, it is still valid for four minutes. */
const SHARED_MS = 60_000;
/** The maximum of cached URLs; each takes about 1 KiB. */
const MAX_SHARED_URLS = 5_000;

const deliveries = seriesByValue(
  new SeriesCounter({
    name: 'deliveries_total',
    help: 'Files for viewers: redirects to the storage or a CDN, streams through the service, and refusals by the limit of concurrent plays.',
    labels: ['outcome'],
  }),
  'outcome',
  ['redirect', 'stream', 'parallel_limit_reached'],
);

/** Delivers the files of embed links. */
@Injectable()
export class FilesService {
  /**
   * The URLs of files for all viewers within a minute, because signing takes longer than the rest of a segment request; by the version and key of
   * their objects, which never change.
   */
  private readonly sharedUrls = new SharedWork<string, string>({
    keptMs: SHARED_MS,
    limit: MAX_SHARED_URLS,
    now: () => this.clock.now().getTime(),
  });

  constructor(
    private readonly gate: DeliveryGateService,
    private readonly leases: PlaybackLeasesRepository,
    private readonly objects: AcceptedObjectsService,
    private readonly transcodings: PreviewProgressService,
    private readonly clock: Clock,
    private readonly counts: DeliveryCountsService,
    private readonly fetched: FetchedPlaysService,
  ) {}

  /** Opens a file of a link. Throws what the gate throws, 404 `media_not_available`, 409 `object_changed`, 429 `parallel_limit_reached`. */
  async open(link: string, request: Request, wanted: Pick<DeliveryRequest, 'formatId' | 'download'>): Promise<DeliveredFile> {
    const opened = await this.gate.open(link, request, { ...wanted, fromPlayer: true, isUse: true });
    const chosen = chooseFormat(opened.formats, wanted);
    if (!chosen) throw mediaNotAvailable(await this.whyMissing(opened, wanted));
    const { item } = chosen;
    const disposition = wanted.download || hasActiveContent(chosen) ? 'attachment' : 'inline';
    const expiresInSeconds = urlLifetime(item, { download: wanted.download === true });
    const file = await this.deliver(opened, { item, disposition, expiresInSeconds }, request);
    this.counts.delivered(visitOf(opened, request), figuresOf(item, request, { isDownload: wanted.download === true }));
    return file;
  }

  /** Opens a streaming rendition, whose segments players request one after the other. Throws what `open` throws. */
  async openSegment(link: string, mediaId: number, request: Request): Promise<DeliveredFile> {
    const opened = await this.gate.open(link, request, { mediaId, fromPlayer: true });
    const item = findStreamed(opened, mediaId);
    if (!item) throw mediaNotAvailable('This rendition does not exist, or has been replaced. Load the playlist of the film again.');
    const file = await this.deliver(opened, { item, disposition: 'inline', expiresInSeconds: START_SECONDS, isShared: true }, request);
    const visit = visitOf(opened, request);
    this.counts.delivered(visit, { bytes: requestedBytes(item, request) });
    this.fetched.count(item, visit, request);
    return file;
  }

  /** Delivers an object that the link shows, such as a picture in another size, with the same URL for a minute. Throws what `open` throws. */
  async send(opened: OpenedLink, item: DeliverableItem, request: Request): Promise<DeliveredFile> {
    const file = await this.deliver(opened, { item, disposition: 'inline', expiresInSeconds: START_SECONDS, isShared: true }, request);
    this.counts.delivered(visitOf(opened, request), figuresOf(item, request, { isDownload: false }));
    return file;
  }

  private async deliver(opened: OpenedLink, { item, isShared, ...options }: Delivery, request: Request): Promise<DeliveredFile> {
    const limits = limitsOf(opened.policy, opened.viewer);
    if (request.method !== 'HEAD') await this.claimLease(opened, limits, request);
    const { fileExtension } = item;
    const file = { disposition: options.disposition, fileName: nameOf(opened.container.name, fileExtension) };
    if (limits.bandwidth) {
      const { cidr, limit } = limits.bandwidth;
      deliveries.stream.count += 1;
      const budget = { playerConfigurationId: opened.configuration.id, cidr, kbitPerSecond: Math.max(1, limit) };
      return { stream: { ...file, item, fileExtension, budget } };
    }
    const sign = async () =>
      await this.objects.signedUrl(item, { ...options, fileName: file.fileName, contentType: mimeTypeOf(fileExtension) });
    const url = await (isShared ? this.sharedUrls.get(sign, `${item.version} ${item.s3Key}`) : sign());
    deliveries.redirect.count += 1;
    return { url };
  }

  /** Renews the lease of a play. Throws what `open` throws. */
  async renewLease(link: string, request: Request): Promise<void> {
    const opened = await this.gate.open(link, request, { fromPlayer: true });
    await this.claimLease(opened, limitsOf(opened.policy, opened.viewer), request);
  }

  /** Why the requested format has no file; if none was requested, the state of the first format for players that is being made or has failed. */
  private async whyMissing({ container, outstanding }: OpenedLink, { formatId }: Pick<DeliveryRequest, 'formatId'>): Promise<string> {
    const wanted = outstanding.filter((format) => (formatId === undefined ? isUsedInPlayer(format) : format.id === formatId));
    const known = wanted.length > 0 ? await this.transcodings.find(container.id) : [];
    const states = known.filter((one) => wanted.some(({ id }) => id === one.formatId));
    if (states.some(({ status }) => status === 'running')) return 'The file of this format is being made.';
    const failed = states.find(({ status }) => status === 'failed');
    return failed ? `The file of this format could not be made. ${failed.reason}` : NO_FILE;
  }

  private async claimLease({ link, configuration, isOwners }: OpenedLink, { parallel }: DeliveryLimits, request: Request): Promise<void> {
    if (!parallel) return;
    const { clientAddress: viewer } = request.context;
    const play = { playerConfigurationId: configuration.id, cidr: parallel.cidr, embedLinkId: link.id, viewer };
    const retryAfter = await this.leases.startOrRenew(play, parallel.limit);
    if (retryAfter === null) return;
    deliveries.parallel_limit_reached.count += 1;
    this.counts.refused(visitOf({ link, configuration, isOwners }, request), 'bandwidthControl');
    throw deliveryErrors.parallel_limit_reached('Too many people in your network are watching at the same time. Try again later.', {
      retryAfter,
      rule: 'bandwidthControl',
    });
  }
}

const NO_FILE = 'There is no file of this format.';

/** The error for a format without a file. */
export const mediaNotAvailable = (detail = NO_FILE) => deliveryErrors.media_not_available(detail);

/** The name of the container with the extension of the file, unless the name already ends with it. */
function nameOf(name: string, extension: string): string {
  const isThere = extension === '' || name.toLowerCase().endsWith(`.${extension.toLowerCase()}`);
  return isThere ? name : `${name}.${extension}`;
}

/** The limits of a viewer: for each kind the rule with the narrowest range that contains the address; null: none. */
interface DeliveryLimits {
  /** The limit of concurrent plays. */
  readonly parallel: BandwidthRule | null;
  /** The limit of bandwidth, in kbit/s. */
  readonly bandwidth: BandwidthRule | null;
}

/** Returns the limits that apply to the address of a viewer. */
export function limitsOf({ bandwidthControl }: CompiledPolicy, { address }: Pick<Viewer, 'address'>): DeliveryLimits {
  const rules = address ? bandwidthControl.matching(address) : [];
  const narrowest = (type: BandwidthRule['type']) => rules.find((rule) => rule.type === type) ?? null;
  return { parallel: narrowest('parallel'), bandwidth: narrowest('bandwidth') };
}

/** Enough time to start; a response that has started continues afterwards. */
const START_SECONDS = 300;
/** The assumed duration of media whose duration is unknown. */
const UNKNOWN_DURATION_SECONDS = 3_600;
/** Role credentials are usually valid for no longer, and a signed URL expires with them. */
const MAX_SECONDS = 6 * 3_600;

/**
 * The lifetime of a signed URL of the storage in seconds. Players request further ranges while they play; twice the duration leaves room
 * for pauses.
 */
function urlLifetime({ type, duration }: Pick<DeliverableItem, 'type' | 'duration'>, { download }: { download: boolean }): number {
  if (download || (type !== 'video' && type !== 'audio')) return START_SECONDS;
  return Math.min(MAX_SECONDS, START_SECONDS + Math.ceil(2 * (duration ?? UNKNOWN_DURATION_SECONDS)));
}
