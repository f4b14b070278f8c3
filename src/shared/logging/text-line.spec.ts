import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { createLog } from './log.js';
import { toTextLine } from './text-line.js';

const at = new Date(2026, 1, 3, 9, 5, 7, 42).getTime();
const textOf = (members: object) => toTextLine(JSON.stringify({ level: 30, time: at, service: 'Media', pid: 7, ...members }));

it('has the local time, the level, the message and the members', () => {
  const line = textOf({
    level: 40,
    msg: 'the storage does not answer',
    host: 's3.example.org',
    status: 503,
    waited: null,
    why: 'it is away',
    list: [1],
  });
  expect(line).toBe('09:05:07.042 WARN  the storage does not answer host=s3.example.org status=503 why="it is away" list=[1]\n');
});

it('shows an error with its stack and its causes', () => {
  const cause = { type: 'Error', message: 'refused', code: 'ECONNREFUSED', stack: 'Error: refused\n    at connect (net.js:1)' };
  const line = textOf({
    level: 50,
    msg: 'unexpected error',
    err: { type: 'TypeError', message: 'no', stack: 'TypeError: no\n    at x.js:1', cause },
  });
  expect(line.split('\n')).toEqual([
    '09:05:07.042 ERROR unexpected error',
    '    TypeError: no',
    '        at x.js:1',
    '    caused by Error: refused code=ECONNREFUSED',
    '        at connect (net.js:1)',
    '',
  ]);
});

it('contains no character on which a terminal acts, whatever was logged', () => {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these characters must not occur
  const acted = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/;
  const text = fc.string({ unit: 'binary' });
  const members = fc.record({
    msg: text,
    path: text,
    more: fc.dictionary(text, text),
    err: fc.record({ message: text, stack: text, code: text }),
  });
  fc.assert(fc.property(members, (all) => !acted.test(textOf(all))));
  expect(textOf({ msg: 'one\ntwo \u001b[31mred' })).toBe('09:05:07.042 INFO  one\\u000atwo \\u001b[31mred\n');
});

it('is written by a log of the format text, without secrets', () => {
  const lines: string[] = [];
  const log = createLog({ level: 'info', service: 'test', format: 'text', destination: { write: (line) => lines.push(line) } });
  log.warn({ token: 'marker-of-a-secret', err: new Error('failed') }, 'something failed');
  expect(lines[0]).toMatch(/^\d\d:\d\d:\d\d\.\d{3} WARN {2}something failed token=\S+\n {4}Error: failed\n {8}at .*log|text-line/);
  expect(lines.join('')).not.toContain('marker');
});
