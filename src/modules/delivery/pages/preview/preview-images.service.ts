import { Injectable } from '@nestjs/common';
import { Clock } from '../../../../shared/clock.js';
import { Config } from '../../../../shared/config/index.js';
import { publishFolder } from '../../../../shared/web/index.js';
import { FormatReaderService } from '../../../formats/index.js';
import { type DeliverableItem, MediaReaderRepository } from '../../../media/index.js';
import type { PlayerSettings } from '../../../player-configurations/index.js';
import { choosePreviewItem, playerFormats } from '../../files/choose-file.js';
import { availabilityOf, type OpenedLink } from '../../gate/delivery-gate.service.js';

/** A stored file, or a picture at a public URL. */
export type PreviewImage =
  | { readonly item: DeliverableItem; readonly url?: undefined }
  | { readonly url: string; readonly item?: undefined };

type Source = Pick<OpenedLink, 'configuration' | 'container' | 'items' | 'tracks' | 'formats'>;

/** The approximate width of a player in pixels; oEmbed consumers get the same picture. */
const PLAYER_WIDTH = 1_280;

/** The dates of the link have been checked before. */
const ALWAYS = { flag: 0, start: null, end: null } as const;

/** Finds the preview picture of a link: the fixed one of its configuration, or else the poster or a preview of its container. */
@Injectable()
export class PreviewImagesService {
  constructor(
    private readonly media: MediaReaderRepository,
    private readonly formats: FormatReaderService,
    private readonly clock: Clock,
    private readonly config: Config,
  ) {}

  /** Returns the preview picture; null: the link has none. */
  async find(opened: Source): Promise<PreviewImage | null> {
    const { container, items, tracks, configuration } = opened;
    const fixed = configuration.settings?.fixedPreviewImage;
    const delivered = playerFormats(opened).map(({ item }) => item);
    if (fixed && appliesTo(fixed, delivered[0]?.fileExtension ?? '')) return await this.fixed(fixed, opened);
    const { byId } = await this.formats.visibleTo(container.customerId);
    const item = choosePreviewItem({ type: container.type, items, tracks, formats: byId, delivered, width: PLAYER_WIDTH });
    return item && { item };
  }

  /** The picture of the named container as long as it is available; otherwise the default picture for files of this kind. */
  private async fixed({ mediaContainerId }: FixedPreviewSettings, { container: { customerId }, items }: Source): Promise<PreviewImage> {
    const [named] = mediaContainerId ? await this.media.findMany(customerId, [mediaContainerId]) : [];
    const { byId, all } = await this.formats.visibleTo(customerId);
    if (named && availabilityOf(ALWAYS, named.container, this.clock.now()) === 'available') {
      const { items: files, tracks } = named;
      const item = choosePreviewItem({ type: 'image', items: files, tracks, formats: byId, delivered: files, width: PLAYER_WIDTH });
      if (item) return { item };
    }
    const originals = new Set(all.filter(({ converter }) => converter === 'original').map(({ id }) => id));
    return { url: fixedPreviewImage(this.config.cdnUrl, originalExtension(items, originals)) };
  }
}

type FixedPreviewSettings = NonNullable<PlayerSettings['fixedPreviewImage']>;

/**
 * Whether the fixed preview image is shown for a delivered file; extensions are compared without case and dot, and without a list it is shown for
 * every file.
 */
export function appliesTo({ enabled, preferredFileExtensions }: FixedPreviewSettings, extension: string): boolean {
  if (enabled !== true) return false;
  const preferred = (preferredFileExtensions ?? []).map(plain);
  return preferred.length === 0 || preferred.includes(plain(extension));
}

const plain = (extension: string): string => extension.trim().replace(/^\./, '').toLowerCase();

/** The extension of the uploaded file, or else that of the first file. */
export const originalExtension = (items: readonly DeliverableItem[], originalFormats: ReadonlySet<number>): string =>
  (items.find(({ formatId }) => formatId !== null && originalFormats.has(formatId)) ?? items[0])?.fileExtension ?? '';

/** The path of the default pictures, at CDN_URL or at the service itself. */
const PATH = '/fixedPreviewImages';

/** The default pictures, which scripts/draw-preview-images.mjs draws. */
const fixedImages = new Set(publishFolder(PATH, new URL('./images/', import.meta.url)));

/** URL of the default picture for files with an extension; `default.png` for an extension without its own picture. */
export function fixedPreviewImage(cdnUrl: string, extension: string): string {
  const name = `${extension.toLowerCase()}.png`;
  return `${cdnUrl}${PATH}/${fixedImages.has(name) ? name : 'default.png'}`;
}
