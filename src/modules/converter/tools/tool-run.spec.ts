import { describe, expect, it } from '@jest/globals';
import { type Exit, explainExit, failureOf } from './tool-run.js';

const code = (number: number): Exit => ({ code: number, signal: null });
const signal = (name: NodeJS.Signals): Exit => ({ code: null, signal: name });

describe('why a program ended without success', () => {
  it.each([
    [code(1), 'ffmpeg', 'exit', failureOf({ program: 'ffmpeg' })],
    [code(234), 'ffmpeg', 'exit', failureOf({ program: 'ffmpeg' })],
    [code(24), 'exiftool', 'exit', failureOf({ program: 'exiftool' })],
    [signal('SIGXFSZ'), 'ffmpeg', 'size', 'wrote more than its limit'],
    [code(153), 'ffmpeg', 'size', 'wrote more than its limit'],
    [code(25), 'convert', 'size', 'wrote more than its limit'],
    [signal('SIGXCPU'), 'soffice', 'time', 'used more processor time than its limit'],
    [code(152), 'tool', 'time', 'used more processor time than its limit'],
    [code(24), 'convert', 'time', 'used more processor time than its limit'],
    [signal('SIGKILL'), 'ffmpeg', 'killed', 'was ended by another process (SIGKILL)'],
    [code(137), 'tool', 'killed', 'was ended by another process (SIGKILL)'],
    [code(255), 'ffmpeg', 'killed', 'was ended by another process (SIGTERM)'],
    [signal('SIGSEGV'), 'convert', 'exit', failureOf({ program: 'convert' })],
    [code(134), 'soffice', 'exit', failureOf({ program: 'soffice' })],
  ] as const)('%j of %s', (exit, program, reason, sentence) => {
    expect(explainExit(exit, program, false)).toEqual({ reason, sentence });
  });

  it.each([
    [signal('SIGKILL'), 'tool'],
    [code(137), 'soffice'],
    [code(134), 'soffice'],
    [code(255), 'ffmpeg'],
  ] as const)('is the time limit if the time may be used up: %j of %s', (exit, program) => {
    expect(explainExit(exit, program, true).reason).toBe('time');
  });

  it.each(['ffmpeg', 'ffprobe', 'sharp', 'convert', 'heif-convert', 'soffice', 'pdfinfo', 'pdftoppm', 'exiftool', 'tool'] as const)(
    'of %s says what can be done, and neither codes nor what is not known',
    (program) => {
      const { sentence } = explainExit(code(139), program, false);
      expect(sentence).toMatch(/^could not [^.]+\. (Save|Change|The operator)/);
      expect(sentence).not.toMatch(/\d{3}|SIG|code|damaged/);
    },
  );

  it('is never its time when it said something else', () => {
    expect(explainExit(code(1), 'ffmpeg', true).reason).toBe('exit');
    expect(explainExit(signal('SIGSEGV'), 'ffmpeg', true).reason).toBe('exit');
  });
});
