import { isColor } from '../../../../shared/color.js';
import type { Parameters } from '../../format-settings.js';
import { decimal, flag, integer, matching, oneOf, type ParameterRule, type ParameterRules } from '../converter.js';

/** A filter of a chain; every part is validated. */
interface Filter {
  readonly name: string;
  /** The parts between colons: `1280`, `flags=lanczos`. */
  readonly args: readonly string[];
}

/** Filters that only compute: none reads or writes a file, opens a URL or runs a command. */
const FILTERS = {
  video: new Set(
    `avgblur bwdif boxblur crop cropdetect deband deblock deflicker dejudder eq fade fieldorder format fps gblur hflip histeq hqdn3d
    hue idet nlmeans normalize pad phase pullup rotate scale setdar setfield setsar smartblur tblend thumbnail tinterlace tonemap
    transpose unsharp vflip vibrance vignette w3fdif yadif zscale`.split(/\s+/),
  ),
  audio: new Set(
    `acompressor aecho aformat afade agate alimiter allpass anequalizer anlmdn aresample atempo bandpass bandreject bass compand
    dcshift deesser dynaudnorm earwax equalizer extrastereo highpass highshelf loudnorm lowpass lowshelf silenceremove speechnorm
    stereotools stereowiden treble volume`.split(/\s+/),
  ),
} as const;
const MAX_FILTERS = 20;
/** A number, a word, or two numbers with a slash or an x. No value can end a filter, contain quotes, expand, or be a path. */
const VALUE = /^(-?\d{1,7}(\.\d{1,6})?([dD][bB]|[kKM])?|\d{1,5}[/x]\d{1,5}|[A-Za-z][A-Za-z0-9_|+]{0,63})$/;
const KEY = /^[A-Za-z][A-Za-z0-9_]{0,23}$/;

/**
 * Parses a chain of filters in the safe subset of ffmpeg's notation, such as `scale=1280:-2:flags=lanczos,fps=25`; null for anything else, such
 * as expressions, quotes and labels.
 */
export function parseFilters(text: string, kind: 'video' | 'audio'): readonly Filter[] | null {
  const parts = text.split(',');
  if (parts.length > MAX_FILTERS) return null;
  const filters = parts.map((part) => parseFilter(part, kind));
  return filters.every((filter) => filter !== null) ? filters : null;
}

/** Returns the names of the filters that a format applies to the picture. */
export const filterNames = ({ vf = '' }: Parameters): readonly string[] =>
  (parseFilters(String(vf), 'video') ?? []).map(({ name }) => name);

function parseFilter(text: string, kind: 'video' | 'audio'): Filter | null {
  const equals = text.indexOf('=');
  const name = equals === -1 ? text : text.slice(0, equals);
  const args = equals === -1 ? [] : text.slice(equals + 1).split(':');
  return FILTERS[kind].has(name) && args.every(isArgument) ? { name, args } : null;
}

function isArgument(text: string): boolean {
  const equals = text.indexOf('=');
  if (equals === -1) return VALUE.test(text);
  const key = text.slice(0, equals);
  return KEY.test(key) && !/file/i.test(key) && VALUE.test(text.slice(equals + 1));
}

/** Encoders of ffmpeg itself, and of libraries that write no other files. */
const VIDEO_CODECS = oneOf(
  ...'libx264 libx265 libvpx libvpx-vp9 libaom-av1 libsvtav1 libwebp mjpeg png gif prores_ks dnxhd mpeg2video mpeg4 copy'.split(' '),
);
const AUDIO_CODECS = oneOf(
  ...'aac libmp3lame libopus libvorbis flac alac ac3 eac3 mp2 pcm_s16le pcm_s16be pcm_s24le pcm_s32le copy'.split(' '),
);
const bitrate = matching(/\d{1,9}(\.\d{1,3})?[kKM]?/);
const rate = matching(/\d{1,5}(\.\d{1,4})?|\d{1,6}\/\d{1,5}/);
const seconds = decimal(0, 86_400);
const word = matching(/[A-Za-z0-9][A-Za-z0-9_.-]{0,31}/);
const flags = matching(/[+-]?[a-z][a-z0-9_]{0,31}([+-][a-z][a-z0-9_]{0,31}){0,9}/);
const filters =
  (kind: 'video' | 'audio'): ParameterRule =>
  (value) =>
    parseFilters(value, kind) !== null;

/** Options for the picture, also with `:v`, `:v:0`. */
const VIDEO: Readonly<Record<string, ParameterRule>> = {
  aspect: matching(/\d{1,4}(\.\d{1,4})?|\d{1,4}:\d{1,4}/),
  bf: integer(0, 16),
  bufsize: bitrate,
  color_primaries: word,
  color_range: word,
  color_trc: word,
  colorspace: word,
  'cpu-used': integer(-16, 16),
  crf: decimal(0, 63),
  deadline: oneOf('best', 'good', 'realtime'),
  force_key_frames: matching(/\d{1,6}(\.\d{1,3})?(,\d{1,6}(\.\d{1,3})?){0,99}/),
  frames: integer(1, 1_000_000),
  fps_mode: oneOf('auto', 'passthrough', 'cfr', 'vfr'),
  g: integer(1, 10_000),
  keyint_min: integer(1, 10_000),
  level: matching(/\d(\.\d)?|\d{2}/),
  loop: integer(-1, 65_535),
  lossless: integer(0, 1),
  maxrate: bitrate,
  minrate: bitrate,
  pix_fmt: word,
  preset: word,
  quality: oneOf('best', 'good', 'realtime'),
  r: rate,
  'row-mt': integer(0, 1),
  sc_threshold: integer(0, 1_000_000_000),
  'tile-columns': integer(0, 6),
  tune: word,
};

/** Options for the sound, also with `:a`, `:a:0`. */
const AUDIO: Readonly<Record<string, ParameterRule>> = {
  ac: integer(1, 8),
  ar: integer(8_000, 192_000),
  compression_level: integer(0, 12),
  cutoff: integer(0, 96_000),
  sample_fmt: word,
  vbr: oneOf('on', 'off', 'constrained'),
};

/** Options whose names contain the kind of stream. */
const STREAM: Readonly<Record<string, ParameterRule>> = {
  'c:v': VIDEO_CODECS,
  'c:a': AUDIO_CODECS,
  vcodec: VIDEO_CODECS,
  acodec: AUDIO_CODECS,
  'b:v': bitrate,
  'b:a': bitrate,
  'q:v': decimal(0, 69),
  'q:a': decimal(-1, 10),
  'profile:v': word,
  'profile:a': word,
  'tag:v': matching(/[A-Za-z0-9]{4}/),
  'tag:a': matching(/[A-Za-z0-9]{4}/),
  'frames:v': integer(1, 1_000_000),
  vf: filters('video'),
  af: filters('audio'),
};

/** Options for the whole file. */
const FILE: Readonly<Record<string, ParameterRule>> = {
  an: flag,
  vn: flag,
  id3v2_version: integer(3, 4),
  movflags: flags,
  shortest: flag,
  t: seconds,
  threads: integer(0, 64),
  write_xing: integer(0, 1),
};

/**
 * The service's own parameters, which are translated to options: a bounding box of the picture, where reading starts, the drawing of the whole
 * source and its colour (drawings.ts), and adaptive streaming (streaming.ts).
 */
const OWN: Readonly<Record<string, ParameterRule>> = {
  width: integer(2, 16_384),
  height: integer(2, 16_384),
  /** Seconds of the source that are skipped. */
  ss: seconds,
  draw: oneOf('waveform', 'storyboard'),
  color: isColor,
  /** The rendition is made in segments for adaptive streaming. */
  streaming: flag,
  /** A streaming rendition is made only of sources whose shorter side has more pixels. */
  above: integer(0, 16_384),
};

const withSpecifier = (rules: Readonly<Record<string, ParameterRule>>, letter: 'v' | 'a') =>
  Object.entries(rules).flatMap(([name, rule]) => [name, `${name}:${letter}`, `${name}:${letter}:0`].map((key) => [key, rule] as const));

/**
 * ffmpeg's output options that are passed on. These are excluded, because they read or write other files, open URLs or choose how files are
 * parsed: i, f, map, filter_complex, filter_script, passlogfile, attach, dump_attachment, vstats_file, progress, report, protocol
 * and format lists, x264-params and similar options (`stats=`, `qpfile=`). `filetype` determines the muxer.
 */
export const FFMPEG_PARAMETERS: ParameterRules = new Map([
  ...withSpecifier(VIDEO, 'v'),
  ...withSpecifier(AUDIO, 'a'),
  ...Object.entries({ ...STREAM, ...FILE, ...OWN }),
]);
