import type { SourceColor } from '../../formats/index.js';

/** What ffprobe measured. */
export interface ProbedMedia {
  /** Pixels as stored, before the rotation. */
  readonly width: number | null;
  readonly height: number | null;
  /** Degrees by which a player rotates the picture. */
  readonly rotation: number;
  /** Width of a stored pixel divided by its height; null: square, or unknown. */
  readonly pixelAspect: number | null;
  /** Seconds. */
  readonly duration: number | null;
  /** Frames per second, on average. */
  readonly frameRate: number | null;
  /** The lowest frame rate that fits the times of all frames, or the resolution of the stream's clock. */
  readonly baseFrameRate: number | null;
  /** ffmpeg's names of the colour encoding; null: unknown. */
  readonly color: SourceColor | null;
  /** ffmpeg's names of the codecs; null: no such stream. */
  readonly videoCodec: string | null;
  readonly audioCodec: string | null;
}

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
    videoCodec: codecOf(video),
    audioCodec: codecOf(audio),
  };
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

function colorOf({ color_transfer, color_primaries, color_space }: Fields): SourceColor | null {
  const [transfer, primaries, matrix] = [color_transfer, color_primaries, color_space].map(known);
  return transfer || primaries || matrix ? { transfer: transfer ?? null, primaries: primaries ?? null, matrix: matrix ?? null } : null;
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
