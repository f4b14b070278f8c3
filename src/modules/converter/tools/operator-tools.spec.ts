import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { readOperatorTools } from './operator-tools.js';

const SH = '/bin/sh';

describe('the list of the operator’s tools', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'operator-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const read = async (content: unknown) => {
    writeFileSync(path.join(folder, 'cli-tools.json'), typeof content === 'string' ? content : JSON.stringify(content));
    return await readOperatorTools(folder);
  };

  it('need not be there', async () => {
    expect(await readOperatorTools(folder)).toEqual({ tools: [], problems: [] });
  });

  it('names programs and their arguments', async () => {
    expect(
      await read([
        { name: 'to-upper', command: [SH, '-c', 'tr a-z A-Z < "$0"', '{input}'] },
        { name: 'x', command: [SH] },
      ]),
    ).toEqual({
      tools: [
        { name: 'to-upper', file: SH, argv: ['-c', 'tr a-z A-Z < "$0"', '{input}'] },
        { name: 'x', file: SH, argv: [] },
      ],
      problems: [],
    });
  });

  it.each([
    ['[{', 'must be a JSON array of objects { "name", "command" }'],
    [{ name: 'x', command: [SH] }, 'must be a JSON array of objects { "name", "command" }'],
    [['x'], 'needs an object as entry 1'],
    [[{ name: 'x', command: [SH], shell: true }], 'has the unknown member "shell" (entry 1)'],
    [[{ name: 'X', command: [SH] }], 'needs a name of lower-case letters, digits and hyphens, at most 32 characters (entry 1)'],
    [[{ command: [SH] }], 'needs a name of lower-case letters, digits and hyphens, at most 32 characters (entry 1)'],
    [[{ name: 'x', command: '/bin/sh' }], 'needs an array of texts as the command of x'],
    [[{ name: 'x', command: [SH, 1] }], 'needs an array of texts as the command of x'],
    [[{ name: 'x', command: [SH, 'a\0b'] }], 'needs an array of texts as the command of x'],
    [[{ name: 'x', command: [] }], 'needs the absolute path of a program as the first part of the command of x'],
    [[{ name: 'x', command: ['sh'] }], 'needs the absolute path of a program as the first part of the command of x'],
    [[{ name: 'x', command: ['/etc/passwd'] }], 'names a program that does not exist or is not executable as the command of x'],
    [[{ name: 'x', command: ['/no/such'] }], 'names a program that does not exist or is not executable as the command of x'],
    [[{ name: 'x', command: ['/bin'] }], 'names a program that does not exist or is not executable as the command of x'],
  ])('with a problem defines no tool and reports the problem: %j', async (content, problem) => {
    expect(await read(content)).toEqual({ tools: [], problems: [`cli-tools.json ${problem}.`] });
  });

  it('reports all problems together, and duplicate names', async () => {
    const good = { name: 'good', command: [SH] };
    expect((await read([good, { name: 'x', command: ['sh'] }, 1, good])).problems).toHaveLength(3);
  });
});
