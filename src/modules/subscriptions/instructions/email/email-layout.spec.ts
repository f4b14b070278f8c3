import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { linkedParagraphs } from './email-layout.js';

const urlsOf = (text: string) =>
  linkedParagraphs(text)
    .flat(2)
    .flatMap(({ url }) => url ?? []);

describe('a text in paragraphs', () => {
  it('ends them with empty lines, and lines with line breaks', () => {
    const lines = linkedParagraphs('\nOne\r\nTwo\r\n\r\n \n\nThree\n').map((paragraph) =>
      paragraph.map((line) => line.map(({ text }) => text).join('')),
    );
    expect(lines).toEqual([['One', 'Two'], ['Three']]);
  });

  it.each([
    ['See https://example.org/a?b=1&c=2.', ['https://example.org/a?b=1&c=2']],
    ['(https://example.org), http://example.org/x!', ['https://example.org', 'http://example.org/x']],
    ['<https://example.org/"quoted">', ['https://example.org/']],
    ['javascript:alert(1) ftp://example.org example.org', []],
    ['https://[broken and https://', []],
  ])('has its links: %s', (text, urls) => {
    expect(urlsOf(text)).toEqual(urls);
  });

  it('keeps the whole line', () => {
    const piece = fc.oneof(fc.string(), fc.webUrl(), fc.constantFrom(' ', '.', '<', '(', 'http://'));
    const line = fc.array(piece).map((pieces) => `x${pieces.join('').replaceAll(/[\r\n]/g, '')}x`);
    fc.assert(
      fc.property(line, (text) => {
        expect(
          linkedParagraphs(text)
            .flat(2)
            .map((segment) => segment.text)
            .join(''),
        ).toBe(text);
      }),
    );
  });
});
