import { expect, it } from '@jest/globals';
import type { FormatProgress } from '../../../converter/index.js';
import type { Format } from '../../../formats/index.js';
import type { OpenedFormat } from '../../gate/delivery-gate.js';
import { outlookOf } from './outlook-of.js';

const aFormat = (id: number, filetype: string, more: Partial<Format> = {}) =>
  ({ id, usage: 'transcoding', configuration: null, ...more, settings: { filetype, ...more.settings } }) as Format;
const made = (format: Format) => ({ format, item: { fileExtension: format.settings.filetype, codec: null } }) as OpenedFormat;
const doing = (formatId: number, progress: number, more: Partial<FormatProgress> = {}): FormatProgress => ({
  ...{ formatId, progress, isPreview: false, status: 'running', reason: null },
  ...more,
});

const fine = { failed: false, reason: null };
const large = aFormat(1, 'mp4');
const small = aFormat(2, 'mp4');
const preview = aFormat(3, 'mp4', { usage: 'preview' });
const poster = aFormat(4, 'jpg', { usage: 'preview' });
const outlook = (there: Format[], outstanding: Format[], transcodings: FormatProgress[], type = 'video') =>
  outlookOf({ link: { type } as never, formats: there.map(made), outstanding }, transcodings);

it('is that of the preview as long as one is made, then of what is nearest to its end', () => {
  const formats = [large, small, preview];
  expect(outlook([], formats, [doing(1, 60), doing(3, 20, { isPreview: true })])).toEqual({ ready: false, progress: 20, ...fine });
  expect(outlook([], formats, [doing(1, 10), doing(2, 60), doing(3, 20, { isPreview: true, status: 'failed' })]).progress).toBe(60);
});

it('is of no concern to what cannot be shown, is kept from players, or is not delivered', () => {
  const hidden = aFormat(5, 'mp4', { settings: { useInPlayer: false } });
  const nothing = { ready: false, progress: null, ...fine };
  expect(outlook([], [poster], [doing(4, 20, { isPreview: true })])).toEqual(nothing);
  expect(outlook([], [hidden], [doing(5, 20)])).toEqual(nothing);
  expect(outlook([], [large], [doing(2, 20)])).toEqual(nothing);
  const trial = aFormat(8, 'mp4', { settings: { testMode: { seconds: 2 } } });
  expect(outlook([], [trial], [doing(8, 20)])).toEqual(nothing);
});

it('tells of better things only while there is nothing but a preview', () => {
  expect(outlook([preview], [large], [doing(1, 30)])).toEqual({ ready: true, progress: 30, ...fine });
  expect(outlook([small], [large], [doing(1, 30)])).toEqual({ ready: true, progress: null, ...fine });
});

it('is of a document its PDF, whose page is there before', () => {
  const [pdf, page] = [aFormat(6, 'pdf'), aFormat(7, 'jpg', { usage: 'preview' })];
  expect(outlook([page], [pdf], [doing(6, 50)], 'document')).toEqual({ ready: true, progress: 50, ...fine });
  expect(outlook([pdf], [], [], 'document')).toEqual({ ready: true, progress: null, ...fine });
});

it('has failed when nothing is under way any more and something could not be made', () => {
  expect(outlook([], [large, small], [doing(1, 30, { status: 'failed' }), doing(2, 10)]).failed).toBe(false);
  expect(outlook([], [large, small], [doing(1, 30, { status: 'failed', reason: 'It is broken.' })])).toEqual({
    ...{ ready: false, progress: null, failed: true, reason: 'It is broken.' },
  });
});

it('has the reason of what was meant to be shown, not that of a preview', () => {
  const [first, second] = [
    doing(3, 0, { isPreview: true, status: 'failed', reason: 'No poster.' }),
    doing(1, 0, { status: 'failed', reason: 'No film.' }),
  ];
  expect(outlook([], [large, preview], [first, second]).reason).toBe('No film.');
  expect(outlook([], [large, preview], [first]).reason).toBe('No poster.');
});
