import { getConverter, type SourceFacts } from '../../formats/index.js';
import type { ExpectedWork } from '../tools/work-limits.service.js';
import type { Recipe } from './recipe-reader.service.js';

type KnownFacts = Pick<SourceFacts, 'duration' | 'width' | 'height'>;

/** Whether a rendition is long work (ConverterDescriptor.isLong). */
export const isLong = ({ format, command, source }: Recipe): boolean =>
  getConverter(format.converter).isLong?.(command, format.settings, source.type) ?? false;

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
