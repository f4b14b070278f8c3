import { type Recipe, type Rgb, SECRETS, TAGS } from './make-file.js';

/** A film as cameras, editors and recorders write it, and what every rendition of it must be. */
export interface CorpusFilm extends Recipe {
  /** Seconds from the beginning to the end of every rendition; absent: as long as what is left of a damaged film. */
  readonly seconds?: number;
  /** Width divided by height as people see it. */
  readonly aspect: number;
  /** The colour of the whole picture, if it has one. */
  readonly color?: Rgb;
  /** Whether a picture made of its fields has combs where something moves. */
  readonly isInterlaced?: true;
  /** Whether white of 203 nits has to look like white in every rendition. */
  readonly isHdr?: true;
  /** The pitch in Hz of the sound that is played first. */
  readonly pitch?: number;
  readonly hasSound?: false;
}

export const lavfi = (graph: string) => ['-f', 'lavfi', '-i', graph];
export const X264 = ['-c:v', 'libx264', '-preset', 'ultrafast'];
export const picture = (seconds: number, size = '320x180') => lavfi(`testsrc2=s=${size}:r=25:d=${seconds}`);
export const tone = (seconds: number, pitch = 440) => lavfi(`sine=f=${pitch}:r=48000:d=${seconds}`);
export const AAC = ['-c:a', 'aac'];
export const WIDE = 16 / 9;

/** One colour for two seconds, converted exactly by zimg, with the tags that belong to it. */
const plain = (color: Rgb, size: string, tags: { readonly matrix: string; readonly primaries: string; readonly transfer: string }) => [
  ...lavfi(`color=c=0x${color.map((part) => part.toString(16).padStart(2, '0')).join('')}:s=${size}:r=25:d=2,format=gbrp`),
  ...['-vf', `zscale=m=${tags.matrix}:r=limited:min=gbr:rin=full,format=yuv420p`, ...X264, '-crf', '1'],
  ...['-colorspace', tags.matrix === '709' ? 'bt709' : 'smpte170m', '-color_primaries', tags.primaries, '-color_trc', tags.transfer],
];
const RED: Rgb = [196, 52, 62];
const GREEN: Rgb = [60, 160, 80];
const BT709 = { matrix: '709', primaries: 'bt709', transfer: 'bt709' };
const BT601 = { matrix: '170m', primaries: 'smpte170m', transfer: 'smpte170m' };

/** Fields of a square that moves, woven into frames: each has combs. */
const woven = (order: 'tff' | 'bff') => [
  ...lavfi('color=c=gray:s=360x288:r=50:d=2[b];color=c=white:s=60x60:r=50:d=2[w];[b][w]overlay=x=5*n:y=100'),
  ...[
    '-vf',
    `scale=720:576,setsar=64/45,interlace=scan=${order}:lowpass=off`,
    '-flags',
    '+ildct+ilme',
    '-top',
    order === 'tff' ? '1' : '0',
  ],
];

/** A white page of 203 nits in ten bits, of which 64 are black and 940 white: 0.58 in PQ, 0.75 in HLG (ITU-R BT.2408). */
const hdr = (transfer: 'smpte2084' | 'arib-std-b67') => {
  const white = Math.round(64 + (transfer === 'smpte2084' ? 0.58 : 0.75) * 876);
  const tags = ['-color_trc', transfer, '-color_primaries', 'bt2020', '-colorspace', 'bt2020nc'];
  const page = lavfi(`color=c=black:s=640x360:r=25:d=2,format=yuv420p10le,lutyuv=y=${white}:u=512:v=512`);
  return [...page, '-c:v', 'libx265', '-preset', 'ultrafast', '-x265-params', 'log-level=none', ...tags];
};

/**
 * Films made by ffmpeg alone: their `runs` are its arguments. A segment of a streaming rendition has four seconds, or up to six where the picture
 * has ended, so a film is longer only if what is special about it has to reach the second segment.
 */
export const FILMS: readonly CorpusFilm[] = [
  {
    name: 'a picture that ends after its sound',
    extension: 'mp4',
    runs: [[...picture(4.08), ...tone(4), ...X264, ...AAC, '{file}']],
    seconds: 4.08,
    aspect: WIDE,
  },
  {
    name: 'a sound that ends long after its picture',
    extension: 'mp4',
    runs: [[...picture(2), ...tone(6), ...X264, ...AAC, '{file}']],
    seconds: 6,
    aspect: WIDE,
  },
  {
    name: 'a sound that ends in the middle of its picture',
    extension: 'mkv',
    runs: [[...picture(9), ...tone(3), ...X264, ...AAC, '{file}']],
    seconds: 9,
    aspect: WIDE,
  },
  {
    name: 'one still picture with sound',
    extension: 'mp4',
    runs: [[...picture(0.04), ...tone(7), ...X264, ...AAC, '{file}']],
    seconds: 7,
    aspect: WIDE,
  },
  {
    name: 'a podcast with one picture a second that never changes',
    extension: 'mp4',
    runs: [[...lavfi('color=c=navy:s=320x180:r=1:d=9'), ...tone(9), '-c:v', 'libx264', '-tune', 'stillimage', ...AAC, '{file}']],
    seconds: 9,
    aspect: WIDE,
  },
  {
    name: 'a podcast with a single picture that lasts a second',
    extension: 'mp4',
    runs: [[...lavfi('color=c=navy:s=320x180:r=1:d=1'), ...tone(9), ...X264, ...AAC, '{file}']],
    seconds: 9,
    aspect: WIDE,
  },
  {
    name: 'a camera that records two pictures a second, and no sound at the end',
    extension: 'mp4',
    runs: [[...lavfi('testsrc2=s=320x180:r=2:d=8'), ...tone(5), '-c:v', 'libx264', ...AAC, '{file}']],
    seconds: 8,
    aspect: WIDE,
  },
  {
    name: 'a film whose last picture stays for five seconds',
    extension: 'mkv',
    runs: [[...picture(3), ...tone(7), '-vf', "select='lt(t,2)'", '-fps_mode', 'vfr', '-c:v', 'libx264', ...AAC, '{file}']],
    seconds: 7,
    aspect: WIDE,
  },
  {
    name: 'a recording of a screen whose rate varies',
    extension: 'mp4',
    runs: [
      [
        ...[...lavfi('testsrc2=s=320x180:r=30:d=8'), ...tone(8), '-vf', "select='if(lt(t,4),1,not(mod(n,20)))'", '-fps_mode', 'vfr'],
        ...['-c:v', 'libx264', ...AAC, '{file}'],
      ],
    ],
    seconds: 8,
    aspect: WIDE,
  },
  {
    name: 'a sound that begins two seconds late',
    extension: 'mp4',
    runs: [[...picture(4), '-itsoffset', '2', ...tone(2), ...X264, ...AAC, '{file}']],
    seconds: 4,
    aspect: WIDE,
  },
  {
    name: 'a picture that begins one and a half seconds late',
    extension: 'mkv',
    runs: [['-itsoffset', '1.5', ...picture(2.5), ...tone(4), ...X264, ...AAC, '{file}']],
    seconds: 4,
    aspect: WIDE,
  },
  {
    name: 'a film of three seconds and a fraction without sound',
    extension: 'mp4',
    runs: [[...picture(3.008), ...X264, '{file}']],
    seconds: 3.04,
    aspect: WIDE,
    hasSound: false,
  },
  {
    name: 'slides of five seconds each',
    extension: 'mkv',
    runs: [[...lavfi('testsrc2=s=320x180:r=1/5:d=10'), ...tone(10), ...X264, '-fps_mode', 'vfr', ...AAC, '{file}']],
    seconds: 10,
    aspect: WIDE,
  },
  {
    name: 'a transport stream that does not begin at 0',
    extension: 'ts',
    runs: [[...picture(3), ...tone(3), ...X264, ...AAC, '-output_ts_offset', '3600', '{file}']],
    seconds: 3.03,
    aspect: WIDE,
  },
  {
    name: 'the red of a film in high definition',
    extension: 'mp4',
    runs: [[...plain(RED, '1280x720', BT709), '{file}']],
    seconds: 2,
    aspect: WIDE,
    color: RED,
    hasSound: false,
  },
  {
    name: 'the green of a film in standard definition',
    extension: 'mp4',
    runs: [[...plain(GREEN, '720x480', BT601), '{file}']],
    seconds: 2,
    aspect: 1.5,
    color: GREEN,
    hasSound: false,
  },
  {
    name: 'the red of a film in high definition that states no colours',
    extension: 'mp4',
    runs: [
      [...plain(RED, '1280x720', BT709), '{0}.mp4'],
      [
        '-i',
        '{0}.mp4',
        '-c',
        'copy',
        '-bsf:v',
        'h264_metadata=colour_primaries=2:transfer_characteristics=2:matrix_coefficients=2',
        '{file}',
      ],
    ],
    seconds: 2,
    aspect: WIDE,
    color: RED,
    hasSound: false,
  },
  {
    name: 'a recording of a screen in RGB',
    extension: 'mkv',
    runs: [
      [...lavfi('color=c=0x3ca050:s=640x360:r=25:d=2,format=gbrp'), '-c:v', 'libx264rgb', '-crf', '0', '-preset', 'ultrafast', '{file}'],
    ],
    seconds: 2,
    aspect: WIDE,
    color: GREEN,
    hasSound: false,
  },
  {
    name: 'a film of a telephone with full range',
    extension: 'mp4',
    runs: [
      [
        ...lavfi('color=c=0x3ca050:s=1280x720:r=25:d=2,format=gbrp'),
        ...[
          '-vf',
          'zscale=m=709:r=full:min=gbr:rin=full,format=yuvj420p',
          ...X264,
          '-crf',
          '1',
          '-color_range',
          'pc',
          '-colorspace',
          'bt709',
          ...TAGS,
          '{file}',
        ],
      ],
    ],
    secrets: SECRETS,
    seconds: 2,
    aspect: WIDE,
    color: GREEN,
    hasSound: false,
  },
  ...(['tff', 'bff'] as const).map(
    (order): CorpusFilm => ({
      name: `a broadcast whose ${order === 'tff' ? 'top' : 'bottom'} field comes first`,
      extension: 'mpg',
      runs: [[...woven(order), '-c:v', 'mpeg2video', '-q:v', '2', '{file}']],
      seconds: 2,
      aspect: WIDE,
      isInterlaced: true,
      hasSound: false,
    }),
  ),
  ...(['smpte2084', 'arib-std-b67'] as const).map(
    (transfer): CorpusFilm => ({
      name: `a film of high dynamic range (${transfer})`,
      extension: 'mp4',
      runs: [[...hdr(transfer), '{file}']],
      seconds: 2,
      aspect: WIDE,
      isHdr: true,
      hasSound: false,
    }),
  ),
  {
    name: 'a film on DVD with wide pixels',
    extension: 'mpg',
    runs: [[...picture(2, '720x576'), ...tone(2), '-vf', 'setsar=64/45', '-c:v', 'mpeg2video', '-q:v', '2', '-c:a', 'mp2', '{file}']],
    seconds: 2.03,
    aspect: WIDE,
  },
  {
    name: 'a film whose second sound is the default',
    extension: 'mkv',
    runs: [
      [
        ...[...picture(3), ...tone(3, 300), ...tone(3, 1200), '-map', '0', '-map', '1', '-map', '2', ...X264, ...AAC],
        ...['-metadata:s:a:0', 'language=eng', '-metadata:s:a:0', 'title=Commentary', '-metadata:s:a:1', 'language=ger'],
        ...['-disposition:a:0', '0', '-disposition:a:1', 'default', '{file}'],
      ],
    ],
    seconds: 3,
    aspect: WIDE,
    pitch: 1200,
  },
  {
    name: 'a film whose first sound is for people who cannot see it',
    extension: 'mkv',
    runs: [
      [
        ...[...picture(3), ...tone(3, 300), ...tone(3, 1200), '-map', '0', '-map', '1', '-map', '2', ...X264, ...AAC],
        ...['-disposition:a:0', 'visual_impaired', '-disposition:a:1', '0', '{file}'],
      ],
    ],
    seconds: 3,
    aspect: WIDE,
    pitch: 1200,
  },
];
