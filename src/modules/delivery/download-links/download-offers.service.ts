import { Injectable } from '@nestjs/common';
import { isUUID } from 'class-validator';
import { Clock } from '../../../shared/clock.js';
import { generalErrors } from '../../../shared/errors.js';
import { mimeTypeOf } from '../../../shared/mime-type-of.js';
import { type FormatProgress, PreviewProgressService } from '../../converter/index.js';
import { type Format, FormatReaderService, type VisibleFormats } from '../../formats/index.js';
import {
  AcceptedObjectsService,
  type ContainerForDelivery,
  type DeliverableItem,
  isTextRole,
  MediaQueries,
  type TextTrackRole,
} from '../../media/index.js';
import { deliveryErrors } from '../delivery.errors.js';
import { choosePreviewItem, isForDelivery, isUsedInPlayer } from '../files/choose-file.js';
import { availabilityOf } from '../gate/delivery-gate.service.js';
import type { DownloadLink } from './download-link.entity.js';
import { DownloadLinksRepository } from './download-links.repository.js';

/** Long enough for a browser to start the download; each click gets a new URL. */
const URL_SECONDS = 300;

/** No limits: the dates of the link itself have been checked before. */
const ALWAYS = { flag: 0, start: null, end: null } as const;

/** A download link with the files that it offers. */
export interface Offer {
  readonly link: DownloadLink;
  readonly containers: readonly OfferedContainer[];
}

/** The files of a download link, for anyone who has its address. */
@Injectable()
export class DownloadOffersService {
  constructor(
    private readonly links: DownloadLinksRepository,
    private readonly media: MediaQueries,
    private readonly formats: FormatReaderService,
    private readonly objects: AcceptedObjectsService,
    private readonly transcodings: PreviewProgressService,
    private readonly clock: Clock,
  ) {}

  /**
   * Returns a link with its files. Throws `not_found` for a link that is unknown or has not started, and `download_link_ended` for one that has
   * ended.
   */
  async open(link: string): Promise<Offer> {
    const found = await this.find(link);
    const { containers, formats } = await this.load(found);
    const offered = containers.map(async (entry) => {
      const transcodings = (await this.transcodings.find(entry.container.id)) ?? []; // one statement for all containers
      return offerFiles(entry, { formatIds: found.formatIds, formats, transcodings });
    });
    return { link: found, containers: await Promise.all(offered) };
  }

  /** A URL that downloads one file of a link. Throws what `open` throws, `not_found` for a file that is not offered, and `object_changed`. */
  async urlOf(link: string, mediaId: number): Promise<string> {
    const { containers } = await this.open(link);
    const offered = containers.flatMap(({ files, tracks }) => [...files.flatMap(({ item }) => item ?? []), ...tracks]);
    const file = offered.find(({ id }) => id === mediaId);
    if (!file) throw generalErrors.not_found('This link does not offer this file.');
    const { fileName, fileExtension } = file;
    const name = fileExtension ? `${fileName}.${fileExtension}` : fileName;
    const contentType = mimeTypeOf(fileExtension);
    return await this.objects.signedUrl(file, { expiresInSeconds: URL_SECONDS, disposition: 'attachment', fileName: name, contentType });
  }

  private async find(link: string): Promise<DownloadLink> {
    const [found, now] = [isUUID(link) ? await this.links.findByLink(link) : null, this.clock.now()];
    if (!found || (found.start !== null && found.start > now)) throw generalErrors.not_found('No download link has this address.');
    if (found.end !== null && found.end <= now) throw deliveryErrors.download_link_ended('These downloads are no longer available.');
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

/** Pixels. On the page a picture is 13rem wide, or as wide as a phone; twice as many pixels for dense screens. */
const PICTURE_WIDTH = 640;

/** A file in one format; `item` null: it has not been made. */
export interface OfferedFile {
  readonly format: Format;
  readonly item: DeliverableItem | null;
  /** The newest transcoding of a file that has not been made. Null: it was not requested recently. */
  readonly transcoding: FormatProgress | null;
}

/** A text track. */
export type OfferedTrack = DeliverableItem & { readonly role: TextTrackRole };

export interface OfferedContainer {
  readonly container: ContainerForDelivery['container'];
  /** The files, in the order of the link's formats. */
  readonly files: readonly OfferedFile[];
  /** The text tracks, if there is a file to which they belong. */
  readonly tracks: readonly OfferedTrack[];
  /** Its preview picture, or null. */
  readonly preview: DeliverableItem | null;
}

/**
 * The files of a container that a download link offers. A format without a file is listed with the state of its transcoding if it is made for
 * the type of the container; previews, formats that players and pages do not use, and skipped ones are left out.
 */
function offerFiles(
  { container, items, tracks }: ContainerForDelivery,
  { formatIds, formats, transcodings }: { formatIds: readonly number[]; formats: VisibleFormats; transcodings: readonly FormatProgress[] },
): OfferedContainer {
  const files = formatIds.flatMap((formatId): OfferedFile[] => {
    const format = formats.byId.get(formatId);
    if (!format || format.usage === 'preview' || !isUsedInPlayer(format)) return [];
    const made = items.filter((item) => item.formatId === formatId);
    if (made.length > 0) return made.map((item) => ({ format, item, transcoding: null }));
    if (!isExpected(format, container.type)) return [];
    const transcoding = transcodings.find((one) => one.formatId === formatId) ?? null;
    return transcoding?.isSkipped ? [] : [{ format, item: null, transcoding }];
  });
  const delivered = files.flatMap(({ item }) => item ?? []);
  const preview = choosePreviewItem({ type: container.type, items, tracks, formats: formats.byId, delivered, width: PICTURE_WIDTH });
  return { container, files, tracks: delivered.length > 0 ? tracks.filter(isTextTrack) : [], preview };
}

const isTextTrack = (item: DeliverableItem): item is OfferedTrack => isTextRole(item.role);

/** Whether a file may still be made. An original is uploaded, never made. */
const isExpected = (format: Format, type: string): boolean =>
  format.flag === 0 &&
  format.converter !== 'original' &&
  isForDelivery(format) &&
  (format.settings.mediaTypes ?? []).some((mediaType) => mediaType === type);
