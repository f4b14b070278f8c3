import type { MeasuredTimes, PictureRate } from '../../../media/index.js';
import type { SourceColor, SourceFacts, SourceSound } from '../converter.js';

/** Facts of a source that are measured as converters use them. */
type MeasuredFacts = Pick<
  SourceFacts,
  'width' | 'height' | 'pixelAspect' | 'duration' | 'frameRate' | 'baseFrameRate' | 'color' | 'fieldOrder' | 'isIndexed' | 'titles'
>;

/** What ffprobe measured. */
export interface ProbedMedia extends MeasuredFacts {
  /** Degrees by which a player rotates the picture. */
  readonly rotation: number;
  /** The index of the picture's stream in the file; null: the file has no picture. */
  readonly pictureIndex: number | null;
  /** The sound streams in the order of the file, without their times. */
  readonly sounds: readonly Omit<SourceSound, 'times'>[];
  /** The time in seconds at which the file begins. */
  readonly start: number;
  /** ffmpeg's names of the codecs; null: no such stream. */
  readonly videoCodec: string | null;
  readonly audioCodec: string | null;
}

/** What is measured of films and sounds only. */
export const UNMEASURED = {
  pixelAspect: null,
  duration: null,
  frameRate: null,
  baseFrameRate: null,
  color: null,
  fieldOrder: null,
  isIndexed: null,
  sounds: [],
  titles: {},
} as const satisfies Partial<ProbedMedia>;

/** What is not measured of an image. */
export const IMAGE_FACTS = {
  ...UNMEASURED,
  rotation: 0,
  pictureIndex: null,
  start: 0,
  audioCodec: null,
} as const satisfies Partial<ProbedMedia>;

type Fields = Readonly<Record<string, unknown>>;

/** Reads ffprobe's JSON (`buildProbe`, or a complete one); the first video and audio stream count, as for ffmpeg. */
export function parseProbe(json: string): ProbedMedia {
  const probe = fieldsOf(JSON.parse(json));
  const streams = listOf(probe.streams);
  const video = streams.find((stream) => stream.codec_type === 'video' && !isCover(stream));
  const audio = streams.find((stream) => stream.codec_type === 'audio');
  return {
    width: positive(video?.width),
    height: positive(video?.height),
    rotation: rotationOf(video ?? {}),
    pixelAspect: pixelAspectOf(video ?? {}),
    duration: durationOf(fieldsOf(probe.format), streams),
    frameRate: rational(video?.avg_frame_rate) ?? rational(video?.r_frame_rate),
    baseFrameRate: rational(video?.r_frame_rate),
    color: video ? colorOf(video) : null,
    fieldOrder: FIELD_ORDERS.get(String(video?.field_order)) ?? null,
    isIndexed: !WITHOUT_INDEX.has(String(fieldsOf(probe.format).format_name)),
    pictureIndex: video === undefined ? null : Number(video.index),
    sounds: streams.filter((stream) => stream.codec_type === 'audio').map(soundOf),
    start: Number(fieldsOf(probe.format).start_time) || 0,
    titles: titlesOf(fieldsOf(fieldsOf(probe.format).tags)),
    videoCodec: codecOf(video),
    audioCodec: codecOf(audio),
  };
}

/** The part by which the average of a constant rate may differ from it, because films end with an incomplete picture. */
const RATE_TOLERANCE = 0.01;

/**
 * Returns the picture rate of a film; undefined: no film, or unknown. It varies if its average is not the lowest rate that fits the times of all pictures,
 * nor half of it: that is the rate of the fields of an interlaced film.
 */
export function pictureRateOf({ frameRate, baseFrameRate }: Pick<ProbedMedia, 'frameRate' | 'baseFrameRate'>): PictureRate | undefined {
  if (frameRate === null) return undefined;
  const parts = (baseFrameRate ?? frameRate) / frameRate;
  return { average: frameRate, isVariable: ![1, 2].some((whole) => Math.abs(parts / whole - 1) < RATE_TOLERANCE) };
}

/** Whether a video stream is a cover image or contains the thumbnails of chapters. */
function isCover({ disposition }: Fields): boolean {
  const { attached_pic, timed_thumbnails } = fieldsOf(disposition);
  return attached_pic === 1 || timed_thumbnails === 1;
}

/** The rotation in degrees; ffprobe reports it in the side data of the stream, and before ffmpeg 5 in its tags. */
function rotationOf({ side_data_list, tags }: Fields): number {
  const found = listOf(side_data_list).find(({ rotation }) => rotation !== undefined)?.rotation ?? fieldsOf(tags).rotate ?? 0;
  return Number.isFinite(Number(found)) ? Number(found) : 0;
}

/** Reads a ratio such as `64:45`. `1:1`, and `0:1` for unknown, count as square pixels. */
function pixelAspectOf({ sample_aspect_ratio }: Fields): number | null {
  const aspect = rational(String(sample_aspect_ratio ?? '').replace(':', '/'));
  return aspect === 1 ? null : aspect;
}

function colorOf({ color_transfer, color_primaries, color_space, color_range }: Fields): SourceColor | null {
  const [transfer = null, primaries = null, matrix = null, range = null] = [color_transfer, color_primaries, color_space, color_range].map(
    known,
  );
  return transfer || primaries || matrix || range ? { transfer, primaries, matrix, range } : null;
}

/** ffprobe's names: the first letter is the field that is stored first, the second one the field that is shown first. */
const FIELD_ORDERS = new Map([
  ['tt', 'top'],
  ['bt', 'top'],
  ['bb', 'bottom'],
  ['tb', 'bottom'],
] as const) as ReadonlyMap<string, 'top' | 'bottom'>;

/** Formats of broadcasts and DVDs, and streams without a container. */
const WITHOUT_INDEX = new Set(['mpegts', 'mpeg', 'mpegvideo', 'h264', 'hevc', 'm4v']);

/** Characters of a text by the author of a file that are kept; titles are rarely longer. */
const MAX_TEXT = 200;

function soundOf({ index, channels, tags, disposition }: Fields): Omit<SourceSound, 'times'> {
  const { language, title } = fieldsOf(tags);
  const { default: isDefault, comment, descriptions, visual_impaired } = fieldsOf(disposition);
  const name = textOf(title);
  const isDescription = descriptions === 1 || visual_impaired === 1 || /audio ?descri|descriptive|hörfilm/i.test(name ?? '');
  return {
    index: Number(index),
    language: /^[a-z]{2,3}(-[a-z0-9]{2,8})*$/i.test(String(language)) && language !== 'und' ? String(language) : null,
    title: name,
    channels: positive(channels),
    isDefault: isDefault === 1,
    content: isDescription ? 'description' : comment === 1 || /commentary|kommentar/i.test(name ?? '') ? 'commentary' : 'main',
  };
}

/** A text of limited length without control characters; null: no text. */
function textOf(value: unknown): string | null {
  if (typeof value !== 'string') return null;
  return (
    value
      .slice(0, MAX_TEXT)
      .replaceAll(/\p{Cc}+/gu, ' ')
      .trim() || null
  );
}

const titlesOf = (tags: Fields): SourceFacts['titles'] =>
  Object.fromEntries(
    Object.entries(tags).flatMap(([name, value]) => {
      const text = textOf(value);
      return text === null ? [] : [[name.toLowerCase(), text]];
    }),
  );

/**
 * Measures when the streams of a file play, from the lines of `buildPacketProbe`. Headers may be wrong, and many formats state only the length of the
 * whole file.
 */
export class PacketTimes {
  private readonly times = new Map<number, MeasuredTimes>();

  /** `start`: the time in seconds at which the file begins. */
  constructor(private readonly start: number) {}

  read(line: string): void {
    const [text, time, duration] = line.split(',');
    const index = Number(text);
    const start = Number.parseFloat(time ?? '') - this.start;
    if (!Number.isFinite(start)) return;
    const end = start + (Number.parseFloat(duration ?? '') || 0);
    const before = this.times.get(index) ?? { index, start, end };
    this.times.set(index, { index, start: Math.min(before.start, start), end: Math.max(before.end, end) });
  }

  /** The streams that have packets, in the order of the file. */
  all(): readonly MeasuredTimes[] {
    return [...this.times.values()].toSorted((one, other) => one.index - other.index);
  }
}

const known = (name: unknown): string | null =>
  typeof name === 'string' && /^(?!unknown|reserved)[a-z0-9-]{1,32}$/.test(name) ? name : null;

/** The duration of the file, or else of its longest stream. Matroska stores the duration of a stream in its tags. */
function durationOf(format: Fields, streams: readonly Fields[]): number | null {
  const lengths = streams.map((stream) => positive(stream.duration) ?? clock(fieldsOf(stream.tags).DURATION) ?? 0);
  return positive(format.duration) ?? positive(Math.max(0, ...lengths));
}

const codecOf = (stream: Fields | undefined): string | null => (stream ? String(stream.codec_name ?? 'unknown') : null);

/** Converts a time such as `00:01:02.5` to seconds. */
function clock(text: unknown): number | null {
  const [, hours, minutes, seconds] = /^(\d+):(\d+):(\d+(?:\.\d+)?)$/.exec(String(text ?? '')) ?? [];
  return positive(Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds));
}

/** Converts a fraction such as `30000/1001` to a number; ffprobe writes `0/0` for unknown. */
function rational(text: unknown): number | null {
  const [over, under = '1'] = String(text ?? '').split('/');
  return positive(Number(over) / Number(under));
}

/** `N/A`, 0 and everything that is not a number count as unknown. */
function positive(value: unknown): number | null {
  const number = Number(value ?? Number.NaN);
  return Number.isFinite(number) && number > 0 ? number : null;
}

const fieldsOf = (value: unknown): Fields => (typeof value === 'object' && value !== null ? (value as Fields) : {});
const listOf = (value: unknown): readonly Fields[] => (Array.isArray(value) ? value.map(fieldsOf) : []);
