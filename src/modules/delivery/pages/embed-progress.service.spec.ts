import { expect, it } from '@jest/globals';
import type { FormatProgress } from '../../converter/index.js';
import type { Format } from '../../formats/index.js';
import type { OpenedFormat } from '../gate/delivery-gate.service.js';
import { describeProgress, suitability } from './embed-progress.service.js';

const aFormat = (id: number, filetype: string, more: Partial<Format> = {}) =>
  ({ id, usage: 'transcoding', configuration: null, ...more, settings: { filetype, ...more.settings } }) as Format;
const made = (format: Format) => ({ format, item: { fileExtension: format.settings.filetype, codec: null } }) as OpenedFormat;
const doing = (formatId: number, progress: number, more: Partial<FormatProgress> = {}): FormatProgress => ({
  ...{ formatId, progress, isPreview: false, status: 'running', reason: null, isSkipped: false },
  ...more,
});

const fine = { failed: false, reason: null };
const large = aFormat(1, 'mp4');
const small = aFormat(2, 'mp4');
const preview = aFormat(3, 'mp4', { usage: 'preview' });
const poster = aFormat(4, 'jpg', { usage: 'preview' });
const state = (there: Format[], outstanding: Format[], transcodings: FormatProgress[], type = 'video') =>
  describeProgress({ link: { type } as never, formats: there.map(made), outstanding, shownOriginal: null }, transcodings);

it('is that of the preview while it is being made, then that of the most advanced rendition', () => {
  const formats = [large, small, preview];
  expect(state([], formats, [doing(1, 60), doing(3, 20, { isPreview: true })])).toEqual({ ready: false, progress: 20, ...fine });
  expect(state([], formats, [doing(1, 10), doing(2, 60), doing(3, 20, { isPreview: true, status: 'failed' })]).progress).toBe(60);
});

it('ignores formats that cannot be shown, are hidden from players, or are not delivered', () => {
  const hidden = aFormat(5, 'mp4', { settings: { useInPlayer: false } });
  const nothing = { ready: false, progress: null, ...fine };
  expect(state([], [poster], [doing(4, 20, { isPreview: true })])).toEqual(nothing);
  expect(state([], [hidden], [doing(5, 20)])).toEqual(nothing);
  expect(state([], [large], [doing(2, 20)])).toEqual(nothing);
  const trial = aFormat(8, 'mp4', { settings: { testMode: { seconds: 2 } } });
  expect(state([], [trial], [doing(8, 20)])).toEqual(nothing);
});

it('includes better renditions only while a preview is the only file', () => {
  expect(state([preview], [large], [doing(1, 30)])).toEqual({ ready: true, progress: 30, ...fine });
  expect(state([small], [large], [doing(1, 30)])).toEqual({ ready: true, progress: null, ...fine });
});

it('is that of the PDF for a document whose first page exists', () => {
  const [pdf, page] = [aFormat(6, 'pdf'), aFormat(7, 'jpg', { usage: 'preview' })];
  expect(state([page], [pdf], [doing(6, 50)], 'document')).toEqual({ ready: true, progress: 50, ...fine });
  expect(state([pdf], [], [], 'document')).toEqual({ ready: true, progress: null, ...fine });
});

it('has failed if a rendition failed and none is in progress', () => {
  expect(state([], [large, small], [doing(1, 30, { status: 'failed' }), doing(2, 10)]).failed).toBe(false);
  expect(state([], [large, small], [doing(1, 30, { status: 'failed', reason: 'It is broken.' })])).toEqual({
    ...{ ready: false, progress: null, failed: true, reason: 'It is broken.' },
  });
});

it('has the reason of the main rendition, not that of a preview', () => {
  const [first, second] = [
    doing(3, 0, { isPreview: true, status: 'failed', reason: 'No poster.' }),
    doing(1, 0, { status: 'failed', reason: 'No film.' }),
  ];
  expect(state([], [large, preview], [first, second]).reason).toBe('No film.');
  expect(state([], [large, preview], [first]).reason).toBe('No poster.');
});

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
