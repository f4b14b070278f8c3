import { MEDIA_TYPES } from '../../media/index.js';
import type { FormatSettings } from '../format-settings.dto.js';
import type { AllowedParameter, Parameters } from '../format-settings.js';
import { allow, BITRATE, type Blueprint, BOX, CHANNELS, LOUDNESS, QUALITY, SAMPLE_RATE } from './blueprint.js';
import { DRAWING_BLUEPRINTS } from './drawing-blueprints.js';
import { STREAMING_BLUEPRINTS } from './streaming-blueprints.js';
import { VIDEO_BLUEPRINTS } from './video-blueprints.js';

const COLOR = '^([a-z]{3,20}|#[0-9a-fA-F]{6})$';
const SHAPE = { resize: BOX, crop: '^[1-9][0-9]{0,3}x[1-9][0-9]{0,3}$', gravity: '^((North|South)?(West|East)|North|South|Center)$' };
/** `keep`: the colours and the profile of the original, instead of sRGB. */
const COLORS = { profile: '^(srgb|keep)$' };
const JPEG = allow(['image'], {
  ...SHAPE,
  ...COLORS,
  quality: QUALITY,
  background: COLOR,
  interlace: '^(None|Plane)$',
  'sampling-factor': '^4:(2:0|2:2|4:4)$',
  colorspace: '^(sRGB|Gray)$',
});
const PNG = allow(['image'], {
  ...SHAPE,
  ...COLORS,
  colors: '^([2-9]|[1-9][0-9]|1[0-9]{2}|2[0-4][0-9]|25[0-6])$',
  depth: '^(8|16)$',
  colorspace: '^(sRGB|Gray)$',
});
const WEBP = allow(['image'], {
  ...SHAPE,
  ...COLORS,
  quality: QUALITY,
  define: '^webp:(lossless=(true|false)|method=[0-6]|alpha-quality=[1-9][0-9]?)$',
});
const AVIF = allow(['image'], { ...SHAPE, ...COLORS, quality: QUALITY, 'sampling-factor': '^4:(2:0|2:2|4:4)$' });

interface Rendition {
  readonly key: string;
  readonly name: string;
  readonly filetype: string;
  readonly parameters: Parameters;
  readonly allowedParameters: readonly AllowedParameter[];
  readonly more?: FormatSettings;
}

const rendition = ({ key, name, more, ...settings }: Rendition): Blueprint => ({
  key,
  name,
  converter: 'imagemagick',
  usage: more?.createThumbnailVersions ? 'preview' : 'transcoding',
  settings: { mediaTypes: ['image'], useInPlayer: true, ...settings, ...more },
});

/** Images are never enlarged (`>`). */
const IMAGE_BLUEPRINTS: readonly Blueprint[] = [
  rendition({
    key: 'jpeg',
    name: 'JPEG',
    filetype: 'jpg',
    parameters: { resize: '2560x2560>', quality: 85, interlace: 'Plane', 'sampling-factor': '4:2:0', background: 'white' },
    allowedParameters: JPEG,
  }),
  rendition({ key: 'png', name: 'PNG', filetype: 'png', parameters: { resize: '2560x2560>', depth: 8 }, allowedParameters: PNG }),
  rendition({ key: 'webp', name: 'WebP', filetype: 'webp', parameters: { resize: '2560x2560>', quality: 80 }, allowedParameters: WEBP }),
  rendition({
    key: 'avif',
    name: 'AVIF',
    filetype: 'avif',
    parameters: { resize: '2560x2560>', quality: 60, 'sampling-factor': '4:2:0' },
    allowedParameters: AVIF,
  }),
  rendition({
    key: 'image-thumbnail',
    name: 'Image thumbnail',
    filetype: 'jpg',
    parameters: { resize: '400x400>', quality: 80, background: 'white' },
    allowedParameters: JPEG,
    more: { createThumbnailVersions: true },
  }),
];

/** The uploaded file, unchanged. */
const ORIGINAL_BLUEPRINTS: readonly Blueprint[] = MEDIA_TYPES.map((type) => ({
  key: `original-${type}`,
  name: `Original ${type}`,
  converter: 'original',
  usage: 'transcoding',
  settings: { mediaTypes: [type], useInPlayer: true },
}));

/** Includes video, for formats that extract its sound. */
const AUDIO_ALLOWED = allow(['audio', 'video'], { 'b:a': BITRATE, ac: CHANNELS, ar: SAMPLE_RATE, af: LOUDNESS });
const AAC = { 'c:a': 'aac', 'b:a': '160k', ac: 2, ar: 48_000, movflags: '+faststart' };
/** 6 to 256 kbit/s; the encoder refuses more than 256 kbit/s per channel. */
const OPUS_BITRATE = '^([6-9]|[1-9][0-9]|1[0-9]{2}|2[0-4][0-9]|25[0-6])k$';
const OPUS_SAMPLE_RATE = '^(8000|12000|16000|24000|48000)$';

const AUDIO_BLUEPRINTS: readonly Blueprint[] = [
  {
    key: 'mp3',
    name: 'MP3',
    converter: 'ffmpeg',
    usage: 'transcoding',
    settings: {
      mediaTypes: ['audio'],
      useInPlayer: true,
      filetype: 'mp3',
      parameters: { 'c:a': 'libmp3lame', 'b:a': '192k', ac: 2, ar: 44_100, id3v2_version: 3 },
      allowedParameters: AUDIO_ALLOWED,
    },
  },
  {
    key: 'aac',
    name: 'AAC',
    converter: 'ffmpeg',
    usage: 'transcoding',
    settings: {
      mediaTypes: ['audio'],
      useInPlayer: true,
      filetype: 'm4a',
      parameters: AAC,
      allowedParameters: AUDIO_ALLOWED,
    },
  },
  {
    key: 'opus',
    name: 'Opus',
    converter: 'ffmpeg',
    usage: 'transcoding',
    settings: {
      mediaTypes: ['audio'],
      useInPlayer: true,
      filetype: 'opus',
      parameters: { 'c:a': 'libopus', 'b:a': '96k', ac: 2, ar: 48_000 },
      allowedParameters: allow(['audio'], { 'b:a': OPUS_BITRATE, ac: CHANNELS, ar: OPUS_SAMPLE_RATE, af: LOUDNESS }),
    },
  },
  {
    key: 'video-sound',
    name: 'Sound of a video',
    converter: 'ffmpeg',
    usage: 'transcoding',
    settings: {
      mediaTypes: ['video'],
      useInPlayer: true,
      filetype: 'm4a',
      parameters: AAC,
      allowedParameters: AUDIO_ALLOWED,
    },
  },
  {
    key: 'audio-preview',
    name: 'Audio preview',
    converter: 'ffmpeg',
    usage: 'preview',
    settings: {
      mediaTypes: ['audio'],
      useInPlayer: true,
      previewFormat: true,
      filetype: 'mp3',
      parameters: { 'c:a': 'libmp3lame', 'b:a': '64k', ac: 1, ar: 44_100 },
      allowedParameters: AUDIO_ALLOWED,
    },
  },
];

const DOCUMENT_BLUEPRINTS: readonly Blueprint[] = [
  {
    key: 'document-pdf',
    name: 'PDF',
    converter: 'officeDocument',
    usage: 'transcoding',
    settings: { mediaTypes: ['document'], useInPlayer: true, filetype: 'pdf', parameters: {}, allowedParameters: [] },
  },
  {
    key: 'document-page',
    name: 'Document page',
    converter: 'officeDocument',
    usage: 'preview',
    settings: {
      mediaTypes: ['document'],
      useInPlayer: true,
      filetype: 'jpg',
      parameters: { page: 1, dpi: 110, quality: 85 },
      allowedParameters: allow(['document'], {
        page: '^[1-9][0-9]{0,3}$',
        dpi: '^([3-9][0-9]|[1-5][0-9]{2}|600)$',
        width: '^([1-9][0-9]{2}|[1-7][0-9]{3})$',
        quality: QUALITY,
      }),
    },
  },
];

/** For every media type: a copy, and results of the operator's own tools. */
const ANY_MEDIA_BLUEPRINTS: readonly Blueprint[] = [
  {
    key: 'copy',
    name: 'Copy',
    converter: 'copy',
    usage: 'transcoding',
    settings: { mediaTypes: MEDIA_TYPES, useInPlayer: true },
  },
  {
    key: 'tool',
    name: 'Tool of the operator',
    converter: 'cli',
    usage: 'transcoding',
    settings: {
      mediaTypes: MEDIA_TYPES,
      useInPlayer: false,
      parameters: {},
      allowedParameters: allow(MEDIA_TYPES, { tool: '^[a-z][a-z0-9-]{0,31}$' }),
    },
  },
];

/**
 * The formats of the service. None is made automatically, because that would cost processor time and storage for every upload, and the programs may
 * be missing. A customer that wants previews creates a format with `autoGenerate`.
 */
export const BLUEPRINTS: readonly Blueprint[] = [
  ...ORIGINAL_BLUEPRINTS,
  ...VIDEO_BLUEPRINTS,
  ...STREAMING_BLUEPRINTS,
  ...AUDIO_BLUEPRINTS,
  ...IMAGE_BLUEPRINTS,
  ...DRAWING_BLUEPRINTS,
  ...DOCUMENT_BLUEPRINTS,
  ...ANY_MEDIA_BLUEPRINTS,
];
