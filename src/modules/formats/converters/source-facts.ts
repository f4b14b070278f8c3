import type { FileDescription, MeasuredTimes, MediaItem } from '../../media/index.js';
import type { SourceFacts } from './converter.js';
import { IMAGE_FACTS, type ProbedMedia, parseProbe, UNMEASURED } from './ffmpeg/parse-probe.js';

/** The facts of a file that is not measured. */
export const UNKNOWN_FACTS = {
  ...UNMEASURED,
  width: null,
  height: null,
  rotation: null,
  pictureTimes: null,
  hasAudio: null,
  hasVideo: null,
} as const satisfies Partial<SourceFacts>;

type StreamFacts = Omit<SourceFacts, 'mediaType' | 'fileExtension'>;

/**
 * The length of media in seconds: where its last packet ends, because a header may state any length or none; else what ffprobe reads from the header;
 * null: unknown. `times`: empty if the packets were not measured.
 */
export function lengthOf({ duration }: Pick<ProbedMedia, 'duration'>, times: readonly MeasuredTimes[]): number | null {
  const end = Math.max(0, ...times.map((one) => one.end));
  return end > 0 ? Number(end.toFixed(6)) : duration;
}

/** What converters need to know of measured streams. */
export function streamFacts(
  { audioCodec, videoCodec, pictureIndex, start: _, sounds, ...facts }: ProbedMedia,
  times: readonly MeasuredTimes[] = [],
): StreamFacts {
  const timesOf = (wanted: number | null) => {
    const found = times.find(({ index }) => index === wanted);
    return found ? { start: found.start, end: found.end } : null;
  };
  return {
    ...facts,
    duration: lengthOf(facts, times),
    pictureTimes: timesOf(pictureIndex),
    sounds: sounds.map((sound) => ({ ...sound, times: timesOf(sound.index) })),
    hasAudio: audioCodec !== null,
    hasVideo: videoCodec !== null,
  };
}

/** A file that has been inspected. */
type DescribedItem = Pick<MediaItem, 'fileExtension'> & Pick<SourceFacts, 'mediaType'>;

/** Returns what the stored description of a file tells converters; null: not enough, so that the file has to be read. */
export function sourceFactsOf({ mediaType, fileExtension }: DescribedItem, description: FileDescription | null): SourceFacts | null {
  if (description === null || description.problem !== null) return null;
  if (mediaType === 'image') return imageFactsOf(description);
  if (mediaType === 'document') {
    const { separator, pageUnits } = description;
    return { mediaType, fileExtension, ...UNKNOWN_FACTS, ...(separator !== undefined && { separator }), ...(pageUnits && { pageUnits }) };
  }
  const { media, times } = description;
  return media && { mediaType, fileExtension, ...streamFacts(parseProbe(JSON.stringify(media)), times) };
}

/** The size is that of the shown picture. Drawings are not converted. */
function imageFactsOf({ content, width, height, codec }: FileDescription): SourceFacts | null {
  if (content === null || width === null || height === null || content === 'svg') return null;
  return { mediaType: 'image', fileExtension: content, ...streamFacts({ ...IMAGE_FACTS, width, height, videoCodec: codec }) };
}
