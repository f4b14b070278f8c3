import { expect, it } from '@jest/globals';
import { suitability } from './suitability.js';

const of = (type: string, extension: string | null, more: { codec?: string; isPreview?: boolean } = {}) =>
  suitability(type, { extension, codec: null, isPreview: false, ...more });

it.each([
  ['video', 'mp4', {}, 2],
  ['video', 'MP4', { codec: 'h264' }, 2],
  ['video', 'mp4', { isPreview: true }, 1],
  ['video', 'mov', {}, 0],
  ['video', 'mp4', { codec: 'hevc' }, 0],
  ['video', 'jpg', { isPreview: true }, 0],
  ['video', 'json', {}, 0],
  ['audio', 'mp3', {}, 2],
  ['audio', 'aiff', {}, 0],
  ['image', 'webp', {}, 2],
  ['image', 'jpg', { isPreview: true }, 1],
  ['image', 'tif', {}, 0],
  ['document', 'pdf', {}, 2],
  ['document', 'jpg', { isPreview: true }, 1],
  ['document', 'jpg', {}, 1],
  ['document', 'docx', {}, 0],
  ['video', null, {}, 2],
] as const)('of media of the type %s a file %s %j serves %i', (type, extension, more, expected) => {
  expect(of(type, extension, more)).toBe(expected);
});
