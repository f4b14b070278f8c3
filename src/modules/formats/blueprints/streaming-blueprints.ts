import { allow, BITRATE, type Blueprint, LOUDNESS, SIDE } from './blueprint.js';

/**
 * The ladder for adaptive streaming: H.264 and AAC in one fragmented MP4 per rendition. `height` limits the shorter side; `above` is the `height` of
 * the next smaller rendition, so that no rendition is made of an original that fits into a smaller one. Bitrate limits keep the largest segment
 * near the average, because players choose renditions by the largest.
 */
const PICTURE_ALLOWED = allow(['video'], {
  height: SIDE,
  above: '^(0|[1-9][0-9]{1,3})$',
  crf: '^([0-9]|[1-4][0-9]|5[01])$',
  preset: '^(ultrafast|superfast|veryfast|faster|fast|medium|slow|slower|veryslow)$',
  tune: '^(film|animation|grain|stillimage|fastdecode)$',
  'profile:v': '^(baseline|main|high)$',
  'b:v': BITRATE,
  maxrate: BITRATE,
  bufsize: BITRATE,
  vf: '^(yadif|bwdif|hqdn3d)(,(yadif|bwdif|hqdn3d))?$',
});
/** The sound is always 48 kHz stereo, so that players can switch between renditions. */
const SOUND = { 'c:a': 'aac', ac: 2, ar: 48_000 } as const;

interface Rung {
  /** Lines on the shorter side. */
  readonly height: number;
  /** Lines of the next smaller rung. */
  readonly above: number;
  readonly crf: number;
  readonly maxrate: string;
  readonly bufsize: string;
  readonly 'b:a': string;
}

const rung = (size: Rung): Blueprint => ({
  key: `streaming-${size.height}p`,
  name: `Streaming ${size.height}p`,
  converter: 'ffmpeg',
  usage: 'transcoding',
  settings: {
    mediaTypes: ['video'],
    useInPlayer: true,
    filetype: 'mp4',
    parameters: { streaming: true, 'c:v': 'libx264', 'profile:v': 'high', pix_fmt: 'yuv420p', preset: 'medium', ...SOUND, ...size },
    allowedParameters: [...PICTURE_ALLOWED, ...allow(['video'], { 'b:a': BITRATE, af: LOUDNESS })],
  },
});

const AUDIO: Blueprint = {
  key: 'streaming-audio',
  name: 'Streaming audio',
  converter: 'ffmpeg',
  usage: 'transcoding',
  settings: {
    mediaTypes: ['audio', 'video'],
    useInPlayer: true,
    filetype: 'm4a',
    parameters: { streaming: true, ...SOUND, 'b:a': '128k' },
    allowedParameters: allow(['audio', 'video'], { 'b:a': BITRATE, af: LOUDNESS }),
  },
};

export const STREAMING_BLUEPRINTS: readonly Blueprint[] = [
  rung({ height: 1080, above: 720, crf: 21, maxrate: '5500k', bufsize: '8250k', 'b:a': '160k' }),
  rung({ height: 720, above: 480, crf: 22, maxrate: '3000k', bufsize: '4500k', 'b:a': '128k' }),
  rung({ height: 480, above: 360, crf: 23, maxrate: '1500k', bufsize: '2250k', 'b:a': '128k' }),
  rung({ height: 360, above: 240, crf: 23, maxrate: '800k', bufsize: '1200k', 'b:a': '96k' }),
  rung({ height: 240, above: 0, crf: 24, maxrate: '400k', bufsize: '600k', 'b:a': '64k' }),
  AUDIO,
];
