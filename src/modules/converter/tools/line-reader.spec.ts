import { describe, expect, it } from '@jest/globals';
import { LineReader } from './line-reader.js';

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
