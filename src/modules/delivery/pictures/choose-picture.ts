import { isReadablePicture } from '../../formats/index.js';
import type { DeliverableItem } from '../../media/index.js';
import { playerFormats } from '../files/choose-file.js';
import type { OpenedLink } from '../gate/delivery-gate.service.js';

/** The picture with the most pixels that players show for a link, as the configuration delivers it; null: no file of them can be read as a picture. */
export function largestPicture(opened: Pick<OpenedLink, 'formats' | 'shownOriginal'>): DeliverableItem | null {
  const shown = [...playerFormats(opened).map(({ item }) => item), ...(opened.shownOriginal ? [opened.shownOriginal] : [])];
  const pictures = shown.filter(({ fileExtension }) => isReadablePicture(fileExtension));
  const pixels = ({ width, height }: DeliverableItem) => (width ?? 0) * (height ?? 0);
  return pictures.toSorted((one, other) => pixels(other) - pixels(one))[0] ?? null;
}
