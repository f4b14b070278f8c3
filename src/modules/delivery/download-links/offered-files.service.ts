import { Injectable } from '@nestjs/common';
import { isUUID } from 'class-validator';
import { generalErrors } from '../../../shared/errors/index.js';
import { mimeTypeOf } from '../../../shared/media-types/index.js';
import { Clock } from '../../../shared/time/index.js';
import { PreviewProgressService } from '../../converter/index.js';
import { FormatReaderService, type VisibleFormats } from '../../formats/index.js';
import { AcceptedObjects, type ContainerForDelivery, MediaReader } from '../../media/index.js';
import { availabilityOf } from '../gate/availability.js';
import type { DownloadLink } from './download-link.entity.js';
import { downloadLinkErrors } from './download-links.errors.js';
import { DownloadLinksRepository } from './download-links.repository.js';
import { type OfferedContainer, offerFiles } from './offer-files.js';

/** Long enough for a browser to begin; it is asked for at each click. */
const URL_SECONDS = 300;

/** The dates of the link itself are looked at before. */
const ALWAYS = { flag: 0, start: null, end: null } as const;

/** What a download link leads to. */
export interface Offer {
  readonly link: DownloadLink;
  readonly containers: readonly OfferedContainer[];
}

/** The files behind a download link, for anyone who knows its address. */
@Injectable()
export class OfferedFiles {
  constructor(
    private readonly links: DownloadLinksRepository,
    private readonly media: MediaReader,
    private readonly formats: FormatReaderService,
    private readonly objects: AcceptedObjects,
    private readonly transcodings: PreviewProgressService,
    private readonly clock: Clock,
  ) {}

  /** Throws `not_found` for a link that is unknown or has not begun, `download_link_ended` for one that is over. */
  async open(link: string): Promise<Offer> {
    const found = await this.find(link);
    const { containers, formats } = await this.load(found);
    const offered = containers.map(async (entry) => {
      const transcodings = (await this.transcodings.find(entry.container.id)) ?? []; // one statement for all containers
      return offerFiles(entry, { formatIds: found.formatIds, formats, transcodings });
    });
    return { link: found, containers: await Promise.all(offered) };
  }

  /** A URL that downloads one file of a link. Throws as `open`, `not_found` for a file that is not offered, and `object_changed`. */
  async urlOf(link: string, mediaId: number): Promise<string> {
    const { containers } = await this.open(link);
    const file = containers.flatMap(({ files }) => files).find(({ item }) => item?.id === mediaId)?.item;
    if (!file) throw generalErrors.not_found('There is no such file under this link.');
    const { fileName, fileExtension } = file;
    const name = fileExtension ? `${fileName}.${fileExtension}` : fileName;
    const contentType = mimeTypeOf(fileExtension);
    return await this.objects.signedUrl(file, { expiresInSeconds: URL_SECONDS, disposition: 'attachment', fileName: name, contentType });
  }

  private async find(link: string): Promise<DownloadLink> {
    const [found, now] = [isUUID(link) ? await this.links.findByLink(link) : null, this.clock.now()];
    if (!found || (found.start !== null && found.start > now)) throw generalErrors.not_found('There are no downloads at this address.');
    if (found.end !== null && found.end <= now) throw downloadLinkErrors.download_link_ended('The time for these downloads is over.');
    return found;
  }

  private async load({
    customerId,
    mediaContainerIds,
  }: DownloadLink): Promise<{ containers: ContainerForDelivery[]; formats: VisibleFormats }> {
    const [found, { value: formats }] = await Promise.all([
      this.media.findMany(customerId, mediaContainerIds),
      this.formats.visibleTo(customerId),
    ]);
    const byId = new Map(found.map((entry) => [entry.container.id, entry]));
    const inOrder = mediaContainerIds.flatMap((id) => byId.get(id) ?? []);
    return { containers: inOrder.filter(({ container }) => availabilityOf(ALWAYS, container, this.clock.now()) === 'available'), formats };
  }
}
