import { expect, it } from '@jest/globals';
import type { DeliverableItem } from '../../../media/index.js';
import { appliesTo, fixedPreviewImage, originalExtension } from './preview-images.service.js';

it.each([
  [{ enabled: true }, 'mp4', true],
  [{ enabled: true, preferredFileExtensions: [] }, 'mp4', true],
  [{ enabled: true, preferredFileExtensions: ['.MP4', 'mov'] }, 'mp4', true],
  [{ enabled: true, preferredFileExtensions: ['mov'] }, 'mp4', false],
  [{ enabled: false, preferredFileExtensions: ['mp4'] }, 'mp4', false],
  [{ preferredFileExtensions: ['mp4'] }, 'mp4', false],
])('%j for a delivered .%s: %s', (settings, extension, expected) => {
  expect(appliesTo(settings, extension)).toBe(expected);
});

it('knows the original among the files', () => {
  const items = [
    { formatId: 7, fileExtension: 'mp4' },
    { formatId: 1, fileExtension: 'mov' },
  ] as DeliverableItem[];
  expect(originalExtension(items, new Set([1]))).toBe('mov');
  expect(originalExtension(items, new Set())).toBe('mp4');
  expect(originalExtension([], new Set())).toBe('');
});

it.each([
  ['mp4', 'mp4.png'],
  ['PDF', 'pdf.png'],
  ['unheard-of', 'default.png'],
  ['', 'default.png'],
])('a file of extension %j is stood for by %s', (extension, name) => {
  expect(fixedPreviewImage('https://cdn.example', extension)).toBe(`https://cdn.example/fixedPreviewImages/${name}`);
});
