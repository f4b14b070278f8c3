import { describe, expect, it } from '@jest/globals';
import { LineReader, OutputTail } from './run-process.js';

const FOLDER = '/tmp/jobs of ours/job-1';

describe('the last words of a program', () => {
  const textOf = (...chunks: string[]) => {
    const words = new OutputTail();
    for (const chunk of chunks) words.add(Buffer.from(chunk));
    return words.text(FOLDER);
  };

  it.each([
    ['source.png: no decode delegate\n', 'source.png: no decode delegate'],
    ['frame=1\rframe=2\r\n\n\nend\n', 'frame=1\nframe=2\nend'],
    ['\u001b[1;31mError\u001b[0m\u0000\u0007 \u202eevil', 'Error evil'],
    [`${FOLDER}/source.mp4: Invalid data`, 'source.mp4: Invalid data'],
    ['cannot open /usr/lib/x86_64-linux-gnu/libvpx.so.7: gone', 'cannot open libvpx.so.7: gone'],
    ["'/home/media/.data/cli/tool' said 25/1 of https://example.org/a/b", "'tool' said 25/1 of https://example.org/a/b"],
  ])('are for the owner of the media: %j', (said, text) => {
    expect(textOf(said)).toBe(text);
  });

  it('are the last ones, however many there were, and in whole characters', () => {
    const words = new OutputTail();
    const chunk = Buffer.from('ä'.repeat(32_768));
    for (let said = 0; said < 100_000_000; said += chunk.length) words.add(chunk);
    words.add(Buffer.from('the end'));
    expect(words.text(FOLDER)).toBe(`${'ä'.repeat(4_089)}the end`);
    expect(textOf('ä', 'ö')).toBe('äö');
  });
});

describe('a reader of lines', () => {
  const linesOf = (...chunks: Buffer[]) => {
    const lines: string[] = [];
    const reader = new LineReader((line) => void lines.push(line));
    for (const chunk of chunks) reader.add(chunk);
    reader.end();
    return lines;
  };

  it('puts lines together, wherever they were cut', () => {
    const bytes = Buffer.from('frame=1\r\n\nprogress=für\nend');
    for (let at = 0; at <= bytes.length; at += 1) {
      expect(linesOf(bytes.subarray(0, at), bytes.subarray(at))).toEqual(['frame=1', '', 'progress=für', 'end']);
    }
    expect(linesOf(Buffer.from('one\n'))).toEqual(['one']);
  });

  it('reads no line to the end of the memory', () => {
    const long = Buffer.alloc(1_000_000, 'x');
    expect(linesOf(long, long, Buffer.from('\nshort\n')).map((line) => line.length)).toEqual([8_192, 5]);
  });
});
