import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parseUrl } from './parse-url.js';

describe('a URL', () => {
  it('is parsed repeatedly and in any script', () => {
    for (let n = 0; n < 20_000; n += 1) parseUrl('https://example.org/a');
    expect(parseUrl('https://müller.example/ü')?.href).toBe('https://xn--mller-kva.example/%C3%BC');
  });

  it('that is invalid gives null', () => {
    expect([parseUrl(''), parseUrl('/path'), parseUrl('https://')]).toEqual([null, null, null]);
  });

  it('with a host that is longer than a name can be gives null, wherever it has characters that are ignored', () => {
    const host = 'ü'.repeat(1_025);
    expect(['https://', 'https:/\n/', ' http:', 'h\tttps:\\\\', 'https://a@'].map((before) => parseUrl(before + host))).toEqual(
      Array(5).fill(null),
    );
    expect(parseUrl(`https://example.org/${host}`)?.host).toBe('example.org');
  });

  it('is parsed without URL.canParse, in no file of src', () => {
    const source = path.resolve('src');
    const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((file) => /\.(ts|js)$/.test(file));
    const guilty = files.filter((file) => /URL\.canParse\(/.test(readFileSync(path.join(source, file), 'utf8')));
    expect(guilty).toEqual([]);
  });
});
