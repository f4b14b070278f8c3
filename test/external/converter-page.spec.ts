import { existsSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { buildProgram, type Clone, startClone } from '../support/app/clone.js';
import { fits, readBlocks } from '../support/documents/document.js';
import { interrupt, printedByBlock, type Running, startBlocks } from '../support/shell.js';

const FILE = 'docs/converter.md';
const BUILD_MS = 180_000; // a stale build takes about 15 s, more when the machine is busy
const PAGE_MS = 180_000; // about 20 s, several times that when the machine is busy

const blocks = readBlocks(FILE, String);
const withPrograms = blocks.map((block, index) => ({ ...block, index })).filter(({ needs }) => needs !== null);

describe('the commands of docs/converter.md that need further programs', () => {
  let clone: Clone;
  let page: Running;

  beforeAll(async () => {
    for (const program of ['ffmpeg', 'ffprobe', 'exiftool'])
      if (!existsSync(`/usr/bin/${program}`)) throw new Error(`/usr/bin/${program} is missing: run \`npm run test:install\` as root.`);
    await buildProgram();
    clone = await startClone('npm start');
    page = startBlocks(readBlocks(FILE, clone.withPorts), clone.terminal);
    const timer = setTimeout(() => void interrupt(page, 'SIGKILL'), PAGE_MS);
    await page.ended;
    clearTimeout(timer);
  }, BUILD_MS + PAGE_MS);
  afterAll(async () => await clone?.close());

  it.each(withPrograms)('$place works as written with $needs', ({ index, commands, output }) => {
    const { [index]: printed } = printedByBlock(page);
    if (printed === undefined) throw new Error(`These commands were not reached or failed:\n${commands}\n${page.stderr.slice(-2_000)}`);
    if (!fits(printed, output)) expect(printed).toBe(output);
  });

  it('work to the end of the page', () => {
    expect(printedByBlock(page)).toHaveLength(blocks.length);
  });
});
