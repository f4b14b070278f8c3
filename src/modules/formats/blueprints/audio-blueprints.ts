import { allow, type Blueprint } from './blueprint.js';
import { BITRATE, CHANNELS, LOUDNESS, SAMPLE_RATE } from './patterns.js';

/** Also for formats that take the sound out of a video. */
const AUDIO_ALLOWED = allow(['audio', 'video'], { 'b:a': BITRATE, ac: CHANNELS, ar: SAMPLE_RATE, af: LOUDNESS });

export const AUDIO_BLUEPRINTS: readonly Blueprint[] = [
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
      parameters: { 'c:a': 'aac', 'b:a': '160k', ac: 2, ar: 48_000, movflags: '+faststart' },
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
