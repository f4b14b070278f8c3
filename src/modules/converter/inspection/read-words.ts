import type { EmbeddedTrack, FileDescription } from '../../media/index.js';
import { nameStream } from './name-stream.js';

/** A subtitle stream that can be taken as text. */
export interface TextStream extends Omit<EmbeddedTrack, 'content'> {
  /** Index among all streams of the file. */
  readonly index: number;
  /** What its text is written as. */
  readonly format: 'webvtt' | 'ass';
}

/** The words inside a film: its subtitles and chapters. */
export interface FilmWords {
  readonly texts: readonly TextStream[];
  readonly chapters: EmbeddedTrack | null;
  /** The names of the streams that are not taken, with the reason. */
  readonly left: readonly { readonly label: string; readonly reason: string }[];
}

/** ffmpeg's names of encodings of text, which it converts to WebVTT. */
const TEXTS = new Set(['ass', 'mov_text', 'srt', 'ssa', 'subrip', 'text', 'webvtt']);
/** Those that have drawings and comments beside their words. */
const DRAWN: ReadonlySet<unknown> = new Set(['ass', 'ssa']);
/** Pictures of words, which would have to be recognised. */
const PICTURES: ReadonlyMap<string, string> = new Map([
  ['hdmv_pgs_subtitle', 'PGS'],
  ['dvd_subtitle', 'VobSub'],
  ['dvb_subtitle', 'DVB'],
  ['xsub', 'XSUB'],
]);
/** Streams of a kind, as many as a container has tracks of a role. */
const MAX_OF_A_KIND = 32;

type Fields = Readonly<Record<string, unknown>>;

/** Finds the words inside a film or sound file by its description; null: the file has no words. */
export function readWords({ media }: Pick<FileDescription, 'media'>): FilmWords | null {
  if (!media) return null;
  const streams = media.streams
    .filter(({ codec_type }) => codec_type === 'subtitle')
    .map((stream, index) => ({ stream, number: index + 1 }));
  const texts: TextStream[] = [];
  const left: { label: string; reason: string }[] = [];
  for (const { stream, number } of streams) {
    const text = readStream(stream, number);
    const problem = problemOf(stream, texts.filter(({ role }) => role === text.role).length);
    if (problem === null) texts.push(text);
    else left.push({ label: text.label, reason: problem });
  }
  const chapters = readChapters(media);
  return streams.length === 0 && chapters === null ? null : { texts: withOneDefault(texts), chapters, left };
}

function problemOf({ codec_name }: Fields, taken: number): string | null {
  const codec = String(codec_name ?? 'unknown');
  const picture = PICTURES.get(codec);
  if (picture !== undefined) return `pictures of words (${picture})`;
  if (!TEXTS.has(codec)) return `an encoding that is not read (${codec})`;
  return taken < MAX_OF_A_KIND ? null : `more than ${MAX_OF_A_KIND} of its kind`;
}

function readStream({ index, codec_name, tags, disposition }: Fields, number: number): TextStream {
  const { language, title } = fieldsOf(tags);
  const { default: isDefault, forced, hearing_impaired, captions } = fieldsOf(disposition);
  const name = typeof title === 'string' ? title.replaceAll(/[\p{Cc}\s]+/gu, ' ').trim() : '';
  const isForced = forced === 1;
  const isForDeaf = hearing_impaired === 1 || captions === 1 || /\bSDH\b|\bCC\b|hearing.impaired|hörgeschädigt|gehörlos/i.test(name);
  const note = isForced ? 'forced' : null;
  const named = nameStream(
    { language: typeof language === 'string' ? language : null, title: name || null },
    { noun: 'Subtitles', number, note },
  );
  return {
    ...named,
    label: isForced && name !== '' && !/forced/i.test(name) ? `${name} (forced)` : named.label,
    ...{ index: Number(index), name: `stream-${Number(index)}`, role: isForDeaf ? 'captions' : 'subtitles', isDefault: isDefault === 1 },
    format: DRAWN.has(codec_name) ? 'ass' : 'webvtt',
  };
}

/** Only the first default counts; files that mark all of several mean none. */
function withOneDefault(texts: readonly TextStream[]): readonly TextStream[] {
  const isMeant = texts.length === 1 || texts.some(({ isDefault }) => !isDefault);
  const first = isMeant ? texts.find(({ isDefault }) => isDefault) : undefined;
  return texts.map((text) => ({ ...text, isDefault: text === first }));
}

function readChapters({ format, chapters }: NonNullable<FileDescription['media']>): EmbeddedTrack | null {
  const start = Number(format.start_time) || 0;
  const cues = chapters.flatMap(({ start_time, end_time, tags }, index) => {
    const [from, to] = [Number(start_time) - start, Number(end_time) - start];
    if (!(to > Math.max(0, from))) return [];
    const title =
      String(fieldsOf(tags).title ?? '')
        .replaceAll(/[\p{Cc}\s]+/gu, ' ')
        .trim() || `Chapter ${index + 1}`;
    return [`${timeOf(Math.max(0, from))} --> ${timeOf(to)}\n${escapeText(title)}\n`];
  });
  if (cues.length === 0) return null;
  const content = Buffer.from(['WEBVTT\n', ...cues].join('\n'));
  return { name: 'chapters', role: 'chapters', language: null, label: 'Chapters', isDefault: false, content };
}

/** A time of WebVTT (section 4.1): hours, minutes, seconds, milliseconds. */
function timeOf(seconds: number): string {
  const ms = Math.round(seconds * 1_000);
  const two = (value: number) => String(Math.floor(value)).padStart(2, '0');
  return `${two(ms / 3_600_000)}:${two((ms / 60_000) % 60)}:${two((ms / 1_000) % 60)}.${String(ms % 1_000).padStart(3, '0')}`;
}

const escapeText = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

const fieldsOf = (value: unknown): Fields => (typeof value === 'object' && value !== null ? (value as Fields) : {});
