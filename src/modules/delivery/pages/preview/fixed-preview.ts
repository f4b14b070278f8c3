import type { DeliverableItem } from '../../../media/index.js';
import type { PlayerSettings } from '../../../player-configurations/index.js';

export type FixedPreviewSettings = NonNullable<PlayerSettings['fixedPreviewImage']>;

/** Whether the fixed preview image is shown for a delivered file: case and dot do not matter, no list means every file. */
export function appliesTo({ enabled, preferredFileExtensions }: FixedPreviewSettings, extension: string): boolean {
  if (enabled !== true) return false;
  const preferred = (preferredFileExtensions ?? []).map(plain);
  return preferred.length === 0 || preferred.includes(plain(extension));
}

const plain = (extension: string): string => extension.trim().replace(/^\./, '').toLowerCase();

/** The extension of the file that was uploaded; without one that of the first file. */
export const originalExtension = (items: readonly DeliverableItem[], originalFormats: ReadonlySet<number>): string =>
  (items.find(({ formatId }) => formatId !== null && originalFormats.has(formatId)) ?? items[0])?.fileExtension ?? '';
