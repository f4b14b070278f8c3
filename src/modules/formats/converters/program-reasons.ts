import type { ProgramName } from './converter.js';

type Reasons = Readonly<Record<string, string>>;

/** How the arguments of a program are read, and why it is given them. */
interface ProgramReasons {
  /** Why it runs, unless its step has a reason of its own. */
  readonly reason: string;
  /** The number of values by option; `otherwise` for all other options. */
  readonly values: Readonly<Record<string, number>>;
  readonly otherwise: number;
  /** By option, or by option and value. */
  readonly reasons: Reasons;
  /** For arguments that are no options. */
  readonly file: string;
}

/** The same reason for several options. */
const each = (options: string, reason: string): Reasons => Object.fromEntries(options.split(' ').map((option) => [option, reason]));
const count = (values: number, options: string): Readonly<Record<string, number>> =>
  Object.fromEntries(options.split(' ').map((option) => [option, values]));

const READING: Reasons = {
  '-protocol_whitelist': 'it may open files of its folder only, and no addresses',
  '-format_whitelist': 'only types that contain their media: others refer to further files',
  '-max_pixels': 'a larger picture would use up the memory',
  '-i': 'the file that is read',
  ...each('-hide_banner -loglevel -nostats', 'only warnings are logged, as the reason of a failure'),
};

const KEY_FRAMES = 'key frames every two seconds in all renditions, so that players can switch between them';
const KEY_FRAME_DISTANCE = 'twice the distance of the key frames, so that the encoder adds none';
const COLOURS = 'states the colours of the result, which players would have to guess';
const ONE_PICTURE = 'the result is one picture';
const TURNS = 'waits where picture and sound begin or end at different times';
const SEGMENTS = 'how long the segments are';

const FFMPEG: ProgramReasons = {
  reason: 'ffmpeg makes films, sound, and pictures of both',
  values: count(0, '-nostdin -hide_banner -nostats -y -an -vn -sn -dn -shortest -noaccurate_seek'),
  otherwise: 1,
  reasons: {
    ...READING,
    ...each('-nostdin -y', 'it must not ask'),
    '-progress': 'reports how much is done',
    '-max_alloc': 'limits the memory that a damaged file can ask for',
    '-threads': 'a single thread takes less memory',
    '-noaccurate_seek': 'reading starts at the key frame before the time; filters drop what precedes the time',
    '-ss': 'where reading starts',
    '-t': 'the length that is made',
    '-vf': 'the filters of the picture, in their order',
    '-af': 'the filters of the sound, in their order',
    '-filter_complex': 'the filters of all streams; names in brackets connect them',
    '-map 0:V:0': 'the first picture that is no cover',
    '-map [picture]': 'the picture that the filters make',
    '-map': 'the sound that is played first, if there is one',
    '-vn': 'the result is a sound',
    '-an': 'the result has no sound',
    '-sn': 'subtitles are tracks of the media container',
    '-dn': 'players do not expect other streams',
    '-map_metadata': 'metadata may tell where and by whom the file was recorded',
    '-map_chapters': 'chapters are tracks of the media container; in a file they would be a stream that players do not expect',
    '-metadata': 'a sound file keeps this text',
    ...each('-color_range -colorspace -color_primaries -color_trc', COLOURS),
    ...each('-frames:v -update', ONE_PICTURE),
    '-c:v': 'without loss, because it is read again',
    '-q:v': 'the quality of the JPEG',
    '-pix_fmt': 'JPEG has the full range of values',
    ...each('-force_key_frames -forced-idr -sc_threshold -flags', KEY_FRAMES),
    '-g': KEY_FRAME_DISTANCE,
    ...each('-max_muxing_queue_size -max_interleave_delta', TURNS),
    ...each('-min_frag_duration -frag_duration', SEGMENTS),
    ...each('-brand -movflags', 'a fragmented MP4 (CMAF), whose segments players request one by one'),
    '-f': 'the file type of the format',
    '-f png_pipe': 'the type of the file that is read',
  },
  file: 'the file that is made',
};

const FIRST_PAGE = 'the page that the format shows';

/** How each program is used. */
export const PROGRAMS: Readonly<Record<ProgramName, ProgramReasons>> = {
  ffmpeg: FFMPEG,
  ffprobe: {
    reason: 'ffprobe describes films and sound',
    values: count(0, '-hide_banner -show_format -show_streams -show_chapters'),
    otherwise: 1,
    reasons: {
      ...READING,
      ...each('-v', 'only errors are logged'),
      ...each('-f', 'the type of the file that is read'),
      ...each('-select_streams -show_entries -of', 'the numbers of the streams with pictures'),
      ...each('-print_format -show_format -show_streams -show_chapters', 'everything that it finds, as JSON'),
    },
    file: 'the file that is read',
  },
  sharp: { reason: 'sharp makes images', values: {}, otherwise: 0, reasons: {}, file: 'the job, whose members are explained below' },
  convert: {
    reason: 'ImageMagick has what sharp does not have',
    values: { ...count(2, '-limit -annotate'), ...count(0, '-flip -flop -trim -normalize +repage') },
    otherwise: 1,
    reasons: {
      '-limit': 'limits memory, disk and time',
      '-define registry:temporary-path=.': 'temporary files are removed with the folder',
      '-background': 'the colour of what becomes empty; JPEG has no transparency',
      ...each('-gravity -font -pointsize -fill -annotate', 'settings.annotation'),
      '+repage': 'the canvas is as large as the image',
      '+profile': 'only the colour profile is kept',
    },
    file: 'a file that is read or made, with its type',
  },
  'heif-convert': {
    ...{ reason: 'heif-convert reads HEIC', values: {}, otherwise: 1, reasons: {} },
    file: 'the file that is read, and the one that is made',
  },
  soffice: {
    reason: 'LibreOffice makes a PDF of the document',
    values: count(1, '--convert-to --outdir'),
    otherwise: 0,
    reasons: {
      ...each('--headless --norestore --nologo --nodefault --nolockcheck --nofirststartwizard', 'it runs without a window'),
      '--convert-to': 'the type that it makes',
      '--outdir': 'the folder for the PDF',
      '--infilter=Text (encoded):UTF8': 'a text, which has been rewritten in UTF-8',
    },
    file: 'the file that is read',
  },
  pdfinfo: {
    reason: 'the size of the page is needed before it is drawn: it may be larger than an image may be',
    values: count(1, '-f -l'),
    otherwise: 0,
    reasons: { '-box': 'the size of the page with its edges', ...each('-f -l', FIRST_PAGE) },
    file: 'the file that is read',
  },
  pdftoppm: {
    reason: 'Poppler draws the page',
    values: count(1, '-f -l -jpegopt'),
    otherwise: 0,
    reasons: {
      ...each('-f -l', FIRST_PAGE),
      '-singlefile': ONE_PICTURE,
      ...each('-jpeg -png', 'the file type of the format'),
      '-jpegopt': 'the parameter quality, or 85',
    },
    file: 'the file that is read, and the name of the one that is made',
  },
  exiftool: { reason: 'exiftool writes metadata', values: {}, otherwise: 0, reasons: {}, file: 'part of every command' },
};

const COLOURS_OF_FILM = 'the colours become those of BT.709';
const MIX = 'settings.audioWatermark';

/** Why filters are there that the service adds to every film of a kind, by their names. */
export const FILTER_REASONS: Reasons = {
  fps: 'a constant picture rate',
  tpad: 'the last picture is repeated',
  trim: 'drops the pictures before the time',
  scale: 'the size of the result',
  bwdif: 'an interlaced source: pictures are made of its fields',
  format: 'how the result stores its pixels',
  setsar: 'pixels are square',
  ...each('zscale tonemap', COLOURS_OF_FILM),
  drawtext: 'settings.burnTimecode',
  ...each('apad atrim aloop adelay amix', MIX),
  ...each('aresample aformat', 'one format for the sounds that are combined or drawn'),
  showwavespic: 'draws the sound as a curve',
  xstack: 'puts the pictures side by side',
  null: 'there is only one picture',
};

/** The parameters that decide members of a job of sharp. */
export const SHARP_PARAMETERS: Readonly<Record<string, readonly string[]>> = {
  crop: ['crop'],
  gravity: ['gravity'],
  size: ['resize', 'thumbnail'],
  background: ['background'],
  gray: ['colorspace'],
  deep: ['depth'],
  keepsProfile: ['profile'],
  options: ['quality', 'interlace', 'sampling-factor', 'colors', 'define'],
};

/** Why the members of a job of sharp are there that no parameter decides. */
export const SHARP_REASONS: Reasons = {
  input: 'the file that is read',
  type: 'its type by its content; the readers of all others are blocked',
  isUpright: 'it has been turned upright',
  mainOf: 'if the file has several images, the main one is made',
  animated: 'an animation stays one',
  frames: 'the file with the pictures of the animation',
  gravity: 'where it is cropped',
  background: 'JPEG has no transparency',
  watermark: 'settings.watermark',
  xmp: 'metadata, which sharp writes where exiftool is not installed',
  format: 'the type of the file that is made',
  options: 'how it is encoded',
  output: 'the file that is made',
  maxPixels: 'a larger image would use up the memory',
};
