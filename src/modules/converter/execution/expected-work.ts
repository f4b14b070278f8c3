import { getConverter, type SourceFacts } from '../../formats/index.js';
import type { ExpectedWork } from '../tools/work-limits.service.js';
import type { Recipe } from './recipe-reader.service.js';

type KnownFacts = Pick<SourceFacts, 'duration' | 'width' | 'height'>;

/** Whether a rendition is long work (ConverterDescriptor.isLong). */
export const isLong = ({ format, command, source }: Recipe): boolean =>
  getConverter(format.converter).isLong?.(command, format.settings, source.type) ?? false;

/**
 * The length of media in seconds: where its last packet ends, because a header may state any length or none; else what ffprobe reads from the header;
 * null: unknown.
 */
export function measuredSeconds({
  pictureTimes,
  sounds,
  duration,
}: Pick<SourceFacts, 'pictureTimes' | 'sounds' | 'duration'>): number | null {
  const ends = [pictureTimes, ...sounds.map(({ times }) => times)].flatMap((times) => times?.end ?? []);
  return ends.length > 0 ? Math.max(...ends) : duration;
}

/** What is known about the work on a rendition. `unknownSeconds`: the length of the result if the facts do not tell it. */
export function expectedWork(recipe: Recipe, { duration, width, height }: KnownFacts, unknownSeconds: number): ExpectedWork {
  const { format, command, source } = recipe;
  const seconds = getConverter(format.converter).resultSeconds?.(command, format.settings, { duration });
  return {
    isLong: isLong(recipe),
    fileSize: source.fileSize,
    seconds: seconds ?? unknownSeconds,
    pixels: width && height ? width * height : null,
  };
}
