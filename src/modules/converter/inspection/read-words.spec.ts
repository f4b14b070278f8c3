import { describe, expect, it } from '@jest/globals';
import { readWords } from './read-words.js';

type Fields = Readonly<Record<string, unknown>>;
const wordsOf = (streams: readonly Fields[], chapters: readonly Fields[] = [], format: Fields = {}) =>
  readWords({ media: { format, streams, chapters } });
const subtitle = (index: number, codec_name: string, tags: Fields = {}, disposition: Fields = {}): Fields => ({
  ...{ index, codec_type: 'subtitle', codec_name, tags, disposition },
});
const chapter = (start_time: unknown, end_time: unknown, title?: unknown): Fields => ({ start_time, end_time, tags: { title } });

describe('the subtitles of a film', () => {
  it.each<[Fields, object]>([
    [subtitle(2, 'subrip', { language: 'ger' }), { language: 'de', label: 'Deutsch', role: 'subtitles', isDefault: false }],
    [
      subtitle(2, 'ass', { language: 'eng', title: 'English SDH' }, { default: 1 }),
      { label: 'English SDH', role: 'captions', isDefault: true },
    ],
    [subtitle(2, 'mov_text', { language: 'fre' }, { hearing_impaired: 1 }), { language: 'fr', label: 'Français', role: 'captions' }],
    [subtitle(2, 'webvtt', { language: 'ger' }, { forced: 1 }), { label: 'Deutsch (forced)', role: 'subtitles' }],
    [subtitle(2, 'webvtt', { language: 'ger', title: 'Schilder' }, { forced: 1 }), { label: 'Schilder (forced)' }],
    [subtitle(2, 'ssa', { language: 'und', title: '\n \t' }), { language: null, label: 'Subtitles 1' }],
    [subtitle(2, 'text', { language: 7, title: 'a\r\nb' }), { language: null, label: 'a b' }],
  ])('%j become %j', (stream, expected) => {
    expect(wordsOf([{ index: 0, codec_type: 'video' }, stream])).toMatchObject({
      texts: [{ ...expected, index: 2, name: 'stream-2' }],
      left: [],
    });
  });

  it.each([
    ['hdmv_pgs_subtitle', 'pictures of words (PGS)'],
    ['dvd_subtitle', 'pictures of words (VobSub)'],
    ['dvb_teletext', 'an encoding that is not read (dvb_teletext)'],
    [undefined, 'an encoding that is not read (unknown)'],
  ])('as %s are named as not taken: %s', (codec, reason) => {
    const stream = { ...subtitle(3, '', { language: 'ger' }), codec_name: codec };
    expect(wordsOf([stream])).toEqual({ texts: [], chapters: null, left: [{ label: 'Deutsch', reason }] });
  });

  it('are at most 32 of a kind', () => {
    const streams = Array.from({ length: 60 }, (_, index) => subtitle(index, 'subrip', { title: `No. ${index}` }));
    const captions = subtitle(60, 'subrip', { title: 'CC' });
    const words = wordsOf([...streams, captions]);
    expect(words?.texts.map(({ index }) => index)).toEqual([...Array.from({ length: 32 }, (_, index) => index), 60]);
    expect(words?.left).toHaveLength(28);
    expect(words?.left[0]).toEqual({ label: 'No. 32', reason: 'more than 32 of its kind' });
  });

  it('have one default, and none if the file marks all of them', () => {
    const defaults = (...marks: readonly number[]) =>
      wordsOf(marks.map((mark, index) => subtitle(index, 'subrip', {}, { default: mark })))?.texts.map(({ isDefault }) => isDefault);
    expect([defaults(1), defaults(1, 1), defaults(0, 1, 1), defaults(0, 0)]).toEqual([
      [true],
      [false, false],
      [false, true, false],
      [false, false],
    ]);
  });
});

describe('the chapters of a film', () => {
  it('are WebVTT that begins with the film', () => {
    const { chapters } =
      wordsOf([], [chapter('1.500000', '3.25', 'The <b>bridge</b> &\nthe harbour'), chapter('3.25', '3725.0019')], { start_time: '1.5' }) ??
      {};
    expect(chapters).toMatchObject({ role: 'chapters', language: null });
    expect(String(chapters?.content)).toBe(
      'WEBVTT\n\n00:00:00.000 --> 00:00:01.750\nThe &lt;b&gt;bridge&lt;/b&gt; &amp; the harbour\n\n00:00:01.750 --> 01:02:03.502\nChapter 2\n',
    );
  });

  it.each([
    ['that end before they begin', chapter('5', '4', 'x')],
    ['without times', chapter(null, 'N/A', 'x')],
    ['before the film', chapter('-9', '-1', 'x')],
  ])('%s are left out', (_, one) => {
    expect(wordsOf([], [one])).toBeNull();
    expect(String(wordsOf([], [one, chapter(0, 1, 'Real')])?.chapters?.content)).toMatch(/^WEBVTT\n\n[^\n]+\nReal\n$/);
  });

  it('are null for a file that is neither film nor sound', () => {
    expect(readWords({ media: null })).toBeNull();
    expect(wordsOf([{ index: 0, codec_type: 'video' }])).toBeNull();
  });
});
