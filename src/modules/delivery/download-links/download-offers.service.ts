import { Injectable } from '@nestjs/common';
import { isUUID } from 'class-validator';
import type { Request } from 'express';
import { Clock } from '../../../shared/clock.js';
import { LinkUsesService } from '../../../shared/counting/index.js';
import { DomainError, generalErrors } from '../../../shared/errors.js';
import { FairLimit } from '../../../shared/fairness/index.js';
import { mimeTypeOf } from '../../../shared/mime-type-of.js';
import { PreviewProgressService } from '../../converter/index.js';
import { type Format, FormatReaderService } from '../../formats/index.js';
import { AcceptedObjectsService, type DeliverableItem, MediaReaderRepository } from '../../media/index.js';
import { type Delivered, DeliveryCountsService, deviceOf } from '../../statistics/index.js';
import { deliveryErrors } from '../delivery.errors.js';
import { figuresOf } from '../files/requested-bytes.js';
import { availabilityOf, stablePeriod } from '../gate/delivery-gate.service.js';
import { ViewersService } from '../gate/viewers.service.js';
import type { DownloadLink } from './download-link.entity.js';
import { DownloadLinksRepository } from './download-links.repository.js';
import { cutPage, isOffered, type Offer, type OfferedContainer, type OfferPosition, offerFiles } from './offer-files.js';

/** Long enough for a browser to start the download, or to load a picture; each request gets a new URL. */
const URL_SECONDS = 300;

/** No limits: the dates of the link itself have been checked before. */
const ALWAYS = { flag: 0, start: null, end: null } as const;

/** Containers that are read at once; most have a file or two. */
const PAGE_CONTAINERS = 100;

/** Pages that a process prepares concurrently: each takes some milliseconds, during which other requests wait. */
const CONCURRENT_PAGES = 2;
/** Some seconds of pages. */
const MAX_WAITING = 400;

const START: OfferPosition = { container: 0, file: 0 };

/** The files of a download link, for anyone who has its address. */
@Injectable()
export class DownloadOffersService {
  private readonly pages = new FairLimit({ slots: CONCURRENT_PAGES, maxWaiting: MAX_WAITING });

  constructor(
    private readonly links: DownloadLinksRepository,
    private readonly media: MediaReaderRepository,
    private readonly formats: FormatReaderService,
    private readonly objects: AcceptedObjectsService,
    private readonly transcodings: PreviewProgressService,
    private readonly clock: Clock,
    private readonly uses: LinkUsesService,
    private readonly counts: DeliveryCountsService,
    private readonly viewers: ViewersService,
  ) {}

  /**
   * Opens the page of a link, with at most `PAGE_FILES` of its files, the first of which is at `from`. Throws `not_found` for a link that is unknown or has not
   * started, and `download_link_ended` for one that has ended.
   */
  async open(link: string, request: Request, from: OfferPosition = START): Promise<Offer> {
    const found = await this.findOpen(link);
    const page = await this.pages.run(String(found.customerId), async () => await this.preparePage(found, from));
    this.countUse(found, await this.viewers.isOwner(request, found));
    return { link: found, ...page };
  }

  private async preparePage(found: DownloadLink, from: OfferPosition): Promise<Omit<Offer, 'link'>> {
    let page: Omit<Offer, 'link'>;
    let next: OfferPosition | null = from;
    do {
      const ids = found.mediaContainerIds.slice(next.container, next.container + PAGE_CONTAINERS);
      page = cutPage(await this.offer(found, ids), { ids, from: next, containers: found.mediaContainerIds.length });
      next = page.next;
    } while (page.containers.length === 0 && next !== null); // none of these containers offers a file
    return page;
  }

  /** A URL that downloads one file of a link. Throws what `open` throws, `not_found` for a file that is not offered, and `object_changed`. */
  async urlOf(link: string, mediaId: number, request: Request): Promise<string> {
    const found = await this.findOpen(link);
    const containerId = await this.media.findContainerOf(found.customerId, mediaId);
    const offered = containerId === null ? null : await this.offerOne(found, containerId);
    const file = filesOf(offered).find(({ id }) => id === mediaId);
    if (!file) throw generalErrors.not_found('This link does not offer this file.');
    const isOwners = await this.viewers.isOwner(request, found);
    this.countUse(found, isOwners);
    const { fileName, fileExtension } = file;
    const name = fileExtension ? `${fileName}.${fileExtension}` : fileName;
    const contentType = mimeTypeOf(fileExtension);
    const url = await this.objects.signedUrl(file, {
      expiresInSeconds: URL_SECONDS,
      disposition: 'attachment',
      fileName: name,
      contentType,
    });
    const visit = { ...visitOf(found, containerId ?? 0, request), isOwners };
    this.counts.delivered(visit, figuresOf(file, request, { isDownload: true }));
    return url;
  }

  /**
   * A URL that shows the preview picture of a container of a link; null: it has none, or its object was replaced. Throws what `open` throws, and
   * `not_found` for a container that is not offered.
   */
  async pictureUrl(link: string, containerId: number): Promise<string | null> {
    const offered = await this.offerOne(await this.findOpen(link), containerId);
    if (!offered) throw generalErrors.not_found('This link does not offer this media container.');
    const { preview } = offered;
    if (!preview) return null;
    const { fileName, fileExtension } = preview;
    const options = { disposition: 'inline', fileName, contentType: mimeTypeOf(fileExtension) } as const;
    return await this.objects.signedUrl(preview, { expiresInSeconds: URL_SECONDS, ...options }).catch(nullIfRefused);
  }

  /** The formats whose files a link offers, in their order. */
  async offeredFormats({ customerId, formatIds }: DownloadLink): Promise<readonly number[]> {
    const { byId } = await this.formats.visibleTo(customerId);
    return formatIds.filter((id) => byId.has(id) && isOffered(byId.get(id) as Format));
  }

  /** The period around now in which no container of a link becomes available or ends. */
  async findPeriod({ customerId, mediaContainerIds }: DownloadLink): Promise<ReturnType<typeof stablePeriod>> {
    return stablePeriod(await this.media.findPeriods(customerId, mediaContainerIds), this.clock.now());
  }

  /** All files of a link in the order of its pages, some containers at a time. */
  async *listFiles(link: DownloadLink): AsyncGenerator<readonly DeliverableItem[]> {
    for (let first = 0; first < link.mediaContainerIds.length; first += PAGE_CONTAINERS) {
      const ids = link.mediaContainerIds.slice(first, first + PAGE_CONTAINERS);
      const offered = await this.offer(link, ids);
      yield ids.flatMap((id) => filesOf(offered.get(id)));
    }
  }

  /** Counts the use of a link, such as one whose archive is being sent from its first byte. The visits of its owners do not count. */
  countUse({ id }: DownloadLink, isOwners: boolean): void {
    if (!isOwners) this.uses.count('downloadLink', id);
  }

  /** Counts what is sent of a file in an archive: downloads that begin with it, and bytes. */
  countInArchive(
    link: DownloadLink,
    mediaContainerId: number,
    sent: { readonly request: Request; readonly isOwners: boolean; readonly downloads: number; readonly bytes: number },
  ): void {
    const { request, isOwners, ...figures } = sent;
    this.counts.delivered({ ...visitOf(link, mediaContainerId, request), isOwners }, figures);
  }

  /** A link that visitors may use now. Throws what `open` throws. */
  async findOpen(link: string): Promise<DownloadLink> {
    const [found, now] = [isUUID(link) ? await this.links.findByLink(link) : null, this.clock.now()];
    if (!found || (!found.endedAt && found.start !== null && found.start > now))
      throw generalErrors.not_found('No download link has this address.');
    if (found.end !== null && found.end <= now) throw deliveryErrors.download_link_ended('These downloads are no longer available.');
    return found;
  }

  private async offerOne(link: DownloadLink, containerId: number): Promise<OfferedContainer | null> {
    if (!link.mediaContainerIds.includes(containerId)) return null;
    return (await this.offer(link, [containerId])).get(containerId) ?? null;
  }

  /** What a link offers of some of its containers, by their ids; without those that are not available now. */
  private async offer({ customerId, formatIds }: DownloadLink, ids: readonly number[]): Promise<ReadonlyMap<number, OfferedContainer>> {
    const [found, formats] = await Promise.all([this.media.findMany(customerId, ids), this.formats.visibleTo(customerId)]);
    const available = found.filter(({ container }) => availabilityOf(ALWAYS, container, this.clock.now()) === 'available');
    const transcodings = await this.transcodings.findMany(available.map(({ container }) => container.id));
    const offerOf = (entry: (typeof available)[number]) =>
      offerFiles(entry, { formatIds, formats, transcodings: transcodings.get(entry.container.id) ?? [] });
    return new Map(available.map((entry) => [entry.container.id, offerOf(entry)]));
  }
}

/** The files that a container offers, in their order. */
const filesOf = (offered: OfferedContainer | null | undefined): DeliverableItem[] =>
  offered ? [...offered.files.flatMap(({ item }) => item ?? []), ...offered.tracks] : [];

/** A download by a link that no player configuration governs, and that is not embedded in a page. */
const visitOf = ({ customerId }: DownloadLink, mediaContainerId: number, { headers }: Request): Delivered => ({
  ...{ customerId, mediaContainerId, embedLinkId: 0, playerConfigurationId: 0 },
  ...{ host: '', device: deviceOf(headers['user-agent']) },
});

function nullIfRefused(error: unknown): null {
  if (error instanceof DomainError) return null;
  throw error;
}
