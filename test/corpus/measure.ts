import { readFileSync } from 'node:fs';
import path from 'node:path';
import { run } from '../support/converter/run-invocation.js';
import type { Rgb } from './make-file.js';

/** Measures renditions by programs that do not make them: zimg for the colours of films, ImageMagick for pictures, mediainfo for shapes. */

const linear = (part: number): number => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
const cubic = (part: number): number => (part > 216 / 24_389 ? Math.cbrt(part) : (part * 24_389) / 27 / 116 + 16 / 116);

/** CIE L*a*b* of a colour in sRGB under D65. */
function labOf(color: Rgb): readonly [number, number, number] {
  const [r, g, b] = color.map((part) => linear(part / 255)) as [number, number, number];
  const x = cubic((0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.95047);
  const y = cubic(0.2126 * r + 0.7152 * g + 0.0722 * b);
  const z = cubic((0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.08883);
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

/** The distance of two colours (CIE 1976); 2.3 is what people just notice. */
export function colorDistance(one: Rgb, other: Rgb): number {
  const [a, b] = [labOf(one), labOf(other)];
  return Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

/** The colour in the middle of a picture, read by ImageMagick. */
export async function pictureColor(file: string): Promise<Rgb> {
  const argv = [`${file}[0]`, '-gravity', 'center', '-crop', '8x8+0+0', '-scale', '1x1!', '-depth', '8', 'txt:-'];
  const printed = await run(path.dirname(file), 'convert', argv);
  const [, r, g, b] = /#([0-9A-F]{2})([0-9A-F]{2})([0-9A-F]{2})/.exec(printed) ?? [];
  return [r, g, b].map((part) => Number.parseInt(part ?? '', 16)) as unknown as Rgb;
}

/** A colour, and how opaque it is from 0 to 255. */
export interface Seen {
  readonly color: Rgb;
  readonly opacity: number;
}

/** The colours in the middle of the four quarters of a picture, read by ImageMagick; an AVIF by libheif. */
export async function cornersOf(file: string): Promise<readonly Seen[]> {
  const [folder, raw] = [path.dirname(file), `${file}.rgba`];
  // ImageMagick of Debian 12 does not read the transparency of AVIF.
  const readable = file.endsWith('.avif') ? `${file}.png` : file;
  if (readable !== file) await run(folder, 'heif-convert', [file, readable]);
  const size = ['-write', 'info:-', '-depth', '8', `rgba:${raw}`];
  const [, width = 0, height = 0] = (/ (\d+)x(\d+) /.exec(await run(folder, 'convert', [`${readable}[0]`, ...size])) ?? []).map(Number);
  const bytes = readFileSync(raw);
  return [0.25, 0.75].flatMap((y) =>
    [0.25, 0.75].map((x) => {
      const at = 4 * (Math.floor(height * y) * width + Math.floor(width * x));
      const [red = 0, green = 0, blue = 0, opacity = 0] = bytes.subarray(at, at + 4);
      return { color: [red, green, blue], opacity };
    }),
  );
}

/** The number of pictures in a file: more than one in an animation. */
export const countPictures = async (file: string): Promise<number> =>
  file.endsWith('.avif') ? 1 : (await run(path.dirname(file), 'identify', ['-format', '[%s]', file])).split(/\[\d+\]/).length - 1;

/** The milliseconds of each picture of an animation, as ImageMagick reads them, and how often it plays, as exiftool does; 0: for ever. */
export async function timingOf(file: string): Promise<{ readonly delays: readonly number[]; readonly plays: number }> {
  const times = (await run(path.dirname(file), 'identify', ['-format', '%T ', file])).trim().split(' ');
  const told = await run(path.dirname(file), 'exiftool', ['-s3', '-n', '-AnimationIterations', '-AnimationLoopCount', file]);
  const plays = /\d+/.exec(told)?.[0];
  // Browsers play a GIF once more than it says, and one that says nothing once.
  const isGif = file.endsWith('.gif');
  return {
    delays: times.map((time) => 10 * Number(time)),
    plays: isGif ? (plays === undefined ? 1 : Number(plays) && Number(plays) + 1) : Number(plays),
  };
}

/** The colour in the middle of a film at one second, converted by zimg according to the tags of the film. */
export async function filmColor(file: string): Promise<Rgb> {
  const raw = `${file}.rgb`;
  const filters = 'zscale=m=gbr:r=full,format=gbrp,format=rgb24,crop=2:2';
  await run(path.dirname(file), 'ffmpeg', [
    '-v',
    'error',
    '-y',
    '-ss',
    '1',
    '-i',
    file,
    '-frames:v',
    '1',
    '-vf',
    filters,
    '-f',
    'rawvideo',
    raw,
  ]);
  return [...readFileSync(raw).subarray(0, 3)] as unknown as Rgb;
}

/** Facts of one stream of a file as mediainfo reads them. */
export const mediainfo = async (file: string, section: 'Video' | 'Audio' | 'Image' | 'General', ...fields: readonly string[]) =>
  (await run(path.dirname(file), 'mediainfo', [`--Inform=${section};${fields.map((field) => `%${field}%`).join('|')}`, file]))
    .trim()
    .split('|');

/** When a stream begins and ends, in seconds. */
export interface Period {
  readonly start: number;
  readonly end: number;
}

/** When the first picture stream and the first sound stream of a file begin and end, by their packets; null: it has none. */
export async function timesOf(file: string): Promise<{ readonly picture: Period | null; readonly sound: Period | null }> {
  const fields = ['-show_entries', 'stream=index,codec_type:packet=stream_index,pts_time,dts_time,duration_time', '-of', 'json'];
  const read = JSON.parse(await run(path.dirname(file), 'ffprobe', ['-v', 'quiet', ...fields, file])) as Packets;
  const periodOf = (kind: string): Period | null => {
    const index = read.streams.find(({ codec_type }) => codec_type === kind)?.index;
    const packets = read.packets.filter(({ stream_index, pts_time }) => stream_index === index && pts_time !== undefined);
    if (packets.length === 0) return null;
    const late = lateness(packets);
    const starts = packets.map(({ pts_time }) => Number(pts_time) - late);
    const ends = packets.map(({ duration_time = 0 }, at) => (starts[at] ?? 0) + Number(duration_time));
    return { start: Math.min(...starts), end: Math.max(...ends) };
  };
  return { picture: periodOf('video'), sound: periodOf('audio') };
}
interface Packet {
  readonly stream_index: number;
  readonly pts_time?: string;
  readonly dts_time?: string;
  readonly duration_time?: string;
}
interface Packets {
  readonly streams: readonly { readonly index: number; readonly codec_type: string }[];
  readonly packets: readonly Packet[];
}

/**
 * By how much ffprobe shows the pictures of a fragmented file late whose offsets are negative (`trun` version 1): by the largest of them, as ffmpeg's
 * reader adds it to each time. Browsers show the first picture when it is decoded (test/browser/corpus-films.spec.ts). Pictures of other files that are
 * reordered are decoded before 0.
 */
function lateness(packets: readonly Packet[]): number {
  const first = (name: 'pts_time' | 'dts_time') => Math.min(...packets.map((packet) => Number(packet[name] ?? packet.pts_time)));
  return first('dts_time') < 0 ? 0 : first('pts_time') - first('dts_time');
}

/** What a player sees and hears when it plays a whole file. */
export interface Decoded {
  /** The share of frames that ffmpeg's detector takes for interlaced ones: combs that are left. */
  readonly combs: number;
  /** The loudest sample in dB; null: there is no sound. */
  readonly peak: number | null;
}

/** Decodes a film or a sound to its end. Throws if anything of it is damaged. */
export async function decode(file: string): Promise<Decoded> {
  const argv = ['-hide_banner', '-nostats', '-xerror', '-err_detect', 'explode', '-i', file, '-vf', 'idet', '-af', 'volumedetect'];
  const printed = await run(path.dirname(file), 'ffmpeg', [...argv, '-f', 'null', '-']);
  const counted = [...printed.matchAll(/Multi frame detection: TFF:\s*(\d+) BFF:\s*(\d+) Progressive:\s*(\d+)/g)].at(-1)?.slice(1) ?? [];
  const [top = 0, bottom = 0, progressive = 0] = counted.map(Number);
  const peak = /max_volume: (-?[\d.]+|-inf) dB/.exec(printed)?.[1];
  return { combs: (top + bottom) / Math.max(1, top + bottom + progressive), peak: peak === undefined ? null : Number(peak) };
}

/** The tags of a file: `group:name` and value. */
export type Tags = Readonly<Record<string, unknown>>;

/** The tags of files in one folder, as exiftool reads them. */
export async function tagsOf(files: readonly string[]): Promise<readonly Tags[]> {
  const names = files.map((file) => path.basename(file));
  return JSON.parse(await run(path.dirname(files[0] ?? ''), 'exiftool', ['-q', '-q', '-j', '-a', '-G1', '-ee', ...names])) as Tags[];
}

/** Names of tags about places, people and their devices, and of pictures of an earlier version. */
const PRIVATE = /GPS|Serial|Owner|Location|Artist|By-line|:Creator$|Author|Thumbnail|Comment/;

/** Tags that no rendition may have: those of such a name, and those that contain one of the secrets. */
export const privateTags = (tags: Tags, secrets: readonly string[]): readonly string[] =>
  Object.entries(tags)
    .filter(([name, value]) => PRIVATE.test(name) || secrets.some((secret) => String(value).includes(secret)))
    .map(([name, value]) => `${name}: ${value}`);

/** The pitch in Hz of the loudest tone of a file, by counting where its samples change their sign. */
export async function pitchOf(file: string): Promise<number> {
  const raw = `${file}.pcm`;
  const argv = ['-v', 'error', '-y', '-ss', '1', '-t', '1', '-i', file, '-map', '0:a:0', '-ac', '1', '-ar', '48000', '-f', 's16le', raw];
  await run(path.dirname(file), 'ffmpeg', argv);
  const bytes = readFileSync(raw);
  const samples = Array.from({ length: bytes.length / 2 }, (_, index) => bytes.readInt16LE(index * 2));
  const crossings = samples.filter((sample, index) => index > 0 && sample >= 0 !== (samples[index - 1] ?? 0) >= 0).length;
  return (crossings / 2 / samples.length) * 48_000;
}

/** Integrated loudness in LUFS (EBU R 128). */
export async function loudnessOf(file: string): Promise<number> {
  const printed = await run(path.dirname(file), 'ffmpeg', [
    '-hide_banner',
    '-nostats',
    '-i',
    file,
    '-vn',
    '-af',
    'ebur128',
    '-f',
    'null',
    '-',
  ]);
  return Number(/Integrated loudness:\s+I:\s+(-?[\d.]+) LUFS/.exec(printed)?.[1]);
}

/** The number of pages of a PDF, as pdfinfo reads it. */
export const countPages = async (file: string): Promise<number> =>
  Number(/^Pages: +(\d+)$/m.exec(await run(path.dirname(file), 'pdfinfo', [file]))?.[1]);

/** The words of a PDF, and all of its metadata, as Poppler and exiftool read them. */
export const wordsOf = async (file: string): Promise<string> =>
  (await run(path.dirname(file), 'pdftotext', ['-layout', file, '-'])) + (await run(path.dirname(file), 'exiftool', ['-a', '-s3', file]));

/** The texts of the cues of a WebVTT file, as ffmpeg reads them. */
export const cuesOf = async (file: string): Promise<readonly string[]> =>
  (await run(path.dirname(file), 'ffmpeg', ['-v', 'error', '-f', 'webvtt', '-i', file, '-f', 'srt', '-']))
    .trim()
    .split(/\n\n+/)
    .map((cue) => cue.split('\n').slice(2).join('\n'));
