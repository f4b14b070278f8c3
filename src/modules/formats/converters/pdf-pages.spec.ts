import { describe, expect, it } from '@jest/globals';
import { explainFailure, pageResolution, readPageCount, readPageSize } from './pdf-pages.js';

const facts = (box: string, rotation = 0) => `Page    1 size:  100 x 100 pts
Page    1 rot:   ${rotation}
Page    1 MediaBox:     0.00     0.00 99999.00 99999.00
Page    1 CropBox:   ${box}
`;

describe('the size of a page', () => {
  it('is that of its crop box, as it is turned', () => {
    expect(readPageSize(facts('0.00     0.00   595.28   841.89'))).toEqual({ width: 595.28, height: 841.89 });
    expect(readPageSize(facts('-10.00   -20.00   90.00   180.00', 270))).toEqual({ width: 200, height: 100 });
  });

  it('is not what the title of the document pretends', () => {
    const pretended = 'Title:  x\nPage    1 CropBox:  0 0 1 1\nPage    1 rot:   90\n';
    expect(readPageSize(pretended + facts('0.00     0.00 14400.00 14400.00'))).toEqual({ width: 14_400, height: 14_400 });
  });

  it.each(['', facts('0.00 0.00 0.00 100.00'), facts('nan nan inf 100')])('is unknown if it is not stated: %j', (text) => {
    expect(readPageSize(text)).toBeNull();
  });
});

describe('the number of pages', () => {
  it.each([
    ['Title:  x\nPages:           12\nEncrypted:       no\n', 12],
    ['Title:  x\nPages:           9\nPages:           1\n', 1],
    ['Pages:           0\n', null],
    ['Title:  Pages: 3\n', null],
  ])('of %j is %s', (facts, expected) => expect(readPageCount(facts)).toBe(expected));
});

describe('the resolution of the image of a page', () => {
  const LIMITED = ['-scale-to', '8192'];
  const A4 = { width: 595.28, height: 841.89 };

  it.each([
    ['as usual', A4, {}, ['-r', '110']],
    ['as the format says', A4, { dpi: 600 }, ['-r', '600']],
    ['the width of the format', A4, { width: 1_200, dpi: 300 }, ['-scale-to-x', '1200', '-scale-to-y', '-1']],
    ['the largest width', { width: 14_400, height: 100 }, { width: 8_192 }, ['-scale-to-x', '8192', '-scale-to-y', '-1']],
    ['limited for a page of 200 inches', { width: 14_400, height: 14_400 }, {}, LIMITED],
    ['limited for a poster in print', { width: 2_384, height: 3_370 }, { dpi: 300 }, LIMITED],
    ['limited for a page that is a hundred times as high as wide', { width: 100, height: 14_400 }, { width: 1_200 }, LIMITED],
    ['limited for a page of unknown size', null, { width: 100 }, LIMITED],
  ])('is %s', (_, page, command, options) => {
    expect(pageResolution(page, command)).toEqual(options);
  });

  it('is as much higher as the unit of the page is larger', () => {
    expect(pageResolution(A4, { dpi: 100 }, 2.5)).toEqual(['-r', '250']);
    expect(pageResolution(A4, { width: 1_200 }, 2.5)).toEqual(['-scale-to-x', '1200', '-scale-to-y', '-1']);
    expect(pageResolution(A4, { dpi: 300 }, 2.5)).toEqual(LIMITED);
  });
});

describe('a document that cannot be opened', () => {
  it.each([
    ['pdfinfo', 'Command Line Error: Incorrect password', 'source_unreadable', /protected by a password/],
    ['pdftoppm', 'Command Line Error: Incorrect password', 'source_unreadable', /protected by a password/],
    ['pdfinfo', 'the first page (1) can not be after the last page (0).', 'source_unreadable', /has no pages/],
    ['pdfinfo', 'the first page (5) can not be after the last page (3).', 'transcoding_refused', /page 5.*is 3\.$/],
    ['pdfinfo', "Syntax Error: Couldn't read xref table", 'source_unreadable', /is damaged/],
    ['soffice', 'Error: source file could not be loaded', 'source_unreadable', /cannot open the document. If it has a password/],
  ] as const)('is explained: %s says %j', (program, log, code, reason) => {
    expect(explainFailure(program, log)).toEqual({ code, reason: expect.stringMatching(reason) });
  });

  it('is not blamed for a crash', () => {
    expect(explainFailure('pdftoppm', 'Segmentation fault')).toBeNull();
    expect(explainFailure('soffice', '')).toBeNull();
  });
});
