import { PassThrough, Readable } from 'node:stream';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { readNewPassword } from './users.js';

describe('a new password from standard input', () => {
  it.each([
    ['correct horse', 'correct horse'],
    ['correct horse\n', 'correct horse'],
    ['correct horse\r\n', 'correct horse'],
    [' spaces count ', ' spaces count '],
    ['pässwörd\n', 'pässwörd'],
  ])('%j is %j', async (given, password) => {
    expect(await readNewPassword(Readable.from([Buffer.from(given)]))).toBe(password);
  });

  it.each([
    ['', 'is empty'],
    ['\n', 'is empty'],
    ['one\ntwo\n', 'one line'],
    ['nul\0', 'one line'],
    ['x'.repeat(4_097), 'longer than 4096'],
  ])('%j is refused', async (given, problem) => {
    await expect(readNewPassword(Readable.from([Buffer.from(given)]))).rejects.toThrow(problem);
  });

  it('is refused when it is not UTF-8', async () => {
    await expect(readNewPassword(Readable.from([Buffer.from([0xff])]))).rejects.toThrow('is not UTF-8');
  });
});

describe('a new password from a terminal', () => {
  const shown: string[] = [];
  afterEach(() => {
    jest.restoreAllMocks();
    shown.length = 0;
  });

  /** A person who types each answer when it is asked for. */
  const terminal = (...answers: string[]) => {
    const stream = Object.assign(new PassThrough(), { isTTY: true });
    jest.spyOn(process.stderr, 'write').mockImplementation((text) => {
      if (String(text).endsWith(': ')) setImmediate(() => stream.write(answers.shift() ?? ''));
      return shown.push(String(text)) > 0;
    });
    return stream;
  };

  it('is asked for twice and not shown', async () => {
    expect(await readNewPassword(terminal('a secret\r', 'a secret\r'))).toBe('a secret');
    expect(shown.join('')).toBe('New password: \nOnce more: \n');
  });

  it('is refused when the two are different', async () => {
    await expect(readNewPassword(terminal('a secret\r', 'a sceret\r'))).rejects.toThrow('The two passwords differ; nothing was changed.');
  });

  it.each([
    ['Ctrl-C', '\x03'],
    ['Ctrl-D', '\x04'],
  ])('is given up by %s', async (_key, typed) => {
    await expect(readNewPassword(terminal(typed))).rejects.toThrow('Nothing was changed.');
  });
});
