import { MAX_INTEGER } from '../../../shared/validation/index.js';
import { contentMark } from '../accepted-objects.service.js';
import type { MediaItem } from '../media-item.entity.js';

/** A text track with the object from which it is converted. */
export type TrackSource = Pick<MediaItem, 'id' | 'customerId' | 'mediaContainerId' | 'etag' | 'version'>;

/**
 * The key of a text track as WebVTT. It depends on the version of the uploaded file, so that simultaneous conversions write the same content, and a
 * viewer never gets that of another file.
 */
export const webVttKey = ({ id, customerId, mediaContainerId, ...object }: TrackSource): string =>
  `renditions/${customerId}/${mediaContainerId}/tracks/${id}-${contentMark(object)}.vtt`;

/** The id of the media item whose WebVTT has this key; null for other keys. */
export function readWebVttKey(key: string): number | null {
  const [, id] = /^renditions\/\d+\/\d+\/tracks\/(\d{1,10})-[\da-f]{16}\.vtt$/.exec(key) ?? [];
  return id === undefined || Number(id) > MAX_INTEGER ? null : Number(id);
}
