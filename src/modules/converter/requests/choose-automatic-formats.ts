import type { Format, MediaType, VisibleFormats } from '../../formats/index.js';

/** The managed thumbnail of each media type that has something to see. */
const THUMBNAILS: ReadonlyMap<MediaType, string> = new Map([
  ['video', 'video-poster'],
  ['image', 'image-thumbnail'],
  ['document', 'document-page'],
]);

const PICTURES: ReadonlySet<string> = new Set(['jpg', 'png', 'webp', 'gif']);

/**
 * The formats that are made of every new upload of a type: those of the customer's own that say so (autoGenerate), its previews, and a
 * thumbnail where one of them asks for it and is none itself. Whether a format may be asked for (transcodingCreateNotAllowed) says nothing here.
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
