import type { Parameters } from '../format-settings.js';
import {
  allow,
  BITRATE,
  type Blueprint,
  CHANNELS,
  FRAME_RATE,
  JPEG_SCALE,
  LOUDNESS,
  POSITION,
  SAMPLE_RATE,
  SIDE,
  YES,
} from './blueprint.js';

/**
 * What every browser and television plays: H.264 with 8 bits and 4:2:0 chroma subsampling, AAC, the index first so that playback starts while the
 * file loads, and a key frame at least every 60 frames for seeking. `width` and `height` form a bounding box; pictures are never enlarged.
 */
const H264: Parameters = {
  'c:v': 'libx264',
  'profile:v': 'high',
  pix_fmt: 'yuv420p',
  g: 60,
  'c:a': 'aac',
  ac: 2,
  ar: 48_000,
  movflags: '+faststart',
};

const H264_ALLOWED = allow(['video'], {
  width: SIDE,
  height: SIDE,
  crf: '^([0-9]|[1-4][0-9]|5[01])$',
  preset: '^(ultrafast|superfast|veryfast|faster|fast|medium|slow|slower|veryslow)$',
  tune: '^(film|animation|grain|stillimage|fastdecode|zerolatency)$',
  'profile:v': '^(baseline|main|high)$',
  level: '^(3[.][01]|4[.][0-2]|5[.][0-2])$',
  'b:v': BITRATE,
  maxrate: BITRATE,
  bufsize: BITRATE,
  g: '^[1-9][0-9]{0,2}$',
  r: FRAME_RATE,
  vf: '^(yadif|bwdif|hqdn3d)(,(yadif|bwdif|hqdn3d))?$',
  an: YES,
  'b:a': BITRATE,
  ac: CHANNELS,
  ar: SAMPLE_RATE,
  af: LOUDNESS,
});

interface Size {
  readonly width: number;
  readonly height: number;
  readonly crf: number;
  /** Peak of the picture's bitrate. */
  readonly maxrate: string;
  readonly bufsize: string;
  readonly 'b:a': string;
}

const h264 = (key: string, name: string, size: Size): Blueprint => ({
  key,
  name,
  converter: 'ffmpeg',
  usage: 'transcoding',
  settings: {
    mediaTypes: ['video'],
    useInPlayer: true,
    filetype: 'mp4',
    parameters: { ...H264, preset: 'medium', ...size },
    allowedParameters: H264_ALLOWED,
  },
});

const VIDEO_PREVIEW: Blueprint = {
  key: 'video-preview',
  name: 'Video preview',
  converter: 'ffmpeg',
  usage: 'preview',
  settings: {
    mediaTypes: ['video'],
    useInPlayer: true,
    previewFormat: true,
    filetype: 'mp4',
    parameters: {
      ...H264,
      'profile:v': 'main',
      preset: 'veryfast',
      ac: 1,
      ...{ width: 640, height: 360, crf: 30, maxrate: '500k', bufsize: '1000k', 'b:a': '64k' },
    },
    allowedParameters: H264_ALLOWED,
  },
};

const POSTER: Blueprint = {
  key: 'video-poster',
  name: 'Video poster',
  converter: 'ffmpeg',
  usage: 'preview',
  settings: {
    mediaTypes: ['video'],
    useInPlayer: true,
    filetype: 'jpg',
    parameters: { ss: 3, width: 1280, height: 720, 'q:v': 3 },
    allowedParameters: allow(['video'], { ss: POSITION, width: SIDE, height: SIDE, 'q:v': JPEG_SCALE }),
  },
};

const TECHNICAL_METADATA: Blueprint = {
  key: 'technical-metadata',
  name: 'Technical metadata',
  converter: 'ffprobe',
  usage: 'transcoding',
  settings: { mediaTypes: ['video', 'audio'], useInPlayer: false, filetype: 'json', parameters: {}, allowedParameters: [] },
};

export const VIDEO_BLUEPRINTS: readonly Blueprint[] = [
  h264('h264-1080p', 'H.264 1080p', { width: 1920, height: 1080, crf: 21, maxrate: '8000k', bufsize: '16000k', 'b:a': '192k' }),
  h264('h264-720p', 'H.264 720p', { width: 1280, height: 720, crf: 22, maxrate: '4000k', bufsize: '8000k', 'b:a': '160k' }),
  h264('h264-360p', 'H.264 360p', { width: 640, height: 360, crf: 23, maxrate: '1200k', bufsize: '2400k', 'b:a': '96k' }),
  VIDEO_PREVIEW,
  POSTER,
  TECHNICAL_METADATA,
];
