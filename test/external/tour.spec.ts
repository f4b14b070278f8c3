import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { signIn } from '../support/accounts/scenario.js';
import { buildProgram, type Clone, startClone } from '../support/app/clone.js';
import { TestBrowser } from '../support/browser/browser.js';
import { type Block, fits, readBlocks } from '../support/documents/document.js';
import { eventually } from '../support/eventually.js';
import { interrupt, printedByBlock, type Running, startBlocks, startCommands, type Terminal } from '../support/shell.js';

const BUILD_MS = 180_000; // a stale build takes about 15 s, more when the machine is busy
const DOCUMENT_MS = 180_000; // about 15 s, several times that when the machine is busy

interface Login {
  readonly email: string;
  readonly password: string;
}

/** The person of the document: opens the URLs that the commands print, signs in, allows, and ends at the application. */
async function visit(url: string, login: Login): Promise<void> {
  const { email, password } = login;
  const end = await signIn(new TestBrowser(new URL(url).origin), url, { email }, { password });
  await eventually(async () => await fetch(end).catch(() => null)); // the application may not listen yet
}

/** Runs the commands to their end, with a person at the browser. */
async function runBlocks(blocks: readonly Block[], terminal: Terminal, login: Login): Promise<Running> {
  const running = startBlocks(blocks, terminal);
  const visited = new Set<string>();
  const deadline = Date.now() + DOCUMENT_MS;
  try {
    for (; !running.isOver && Date.now() < deadline; await setTimeout(50)) {
      for (const [url] of `${running.stdout}${running.stderr}`.matchAll(AUTHORIZE_URL)) {
        if (!visited.has(url)) await visit(url, login);
        visited.add(url);
      }
    }
  } catch (error) {
    running.stderr += `The person at the browser failed: ${(error as Error).message}`;
  } finally {
    await interrupt(running, 'SIGKILL'); // they wait for a person who failed, or for something that never comes
  }
  return running;
}

const AUTHORIZE_URL = /http:\/\/localhost:\d+\/v4\/authorize\?\S+(?=\n)/g;

const documents: readonly { file: string; login: (demo: Login) => Login }[] = [
  { file: 'docs/tour.md', login: () => ({ email: 'ada@example.org', password: 'correct horse battery staple' }) },
  { file: 'docs/oauth.md', login: (demo) => demo },
  { file: 'docs/frames.md', login: (demo) => demo },
  { file: 'docs/uploads.md', login: (demo) => demo },
  { file: 'docs/delivery.md', login: (demo) => demo },
  { file: 'docs/find.md', login: (demo) => demo },
  { file: 'docs/statistics.md', login: (demo) => demo },
  { file: 'docs/formats.md', login: (demo) => demo },
  { file: 'docs/converter.md', login: (demo) => demo },
  { file: 'docs/events.md', login: (demo) => demo },
];

/** Blocks that need no further programs; test/external runs the others. */
const runsHere = ({ inFirstTerminal, needs }: Block) => !inFirstTerminal && needs === null;

describe('the commands of the documents', () => {
  const [start, reset] = readBlocks('docs/tour.md', String).filter(({ inFirstTerminal }) => inFirstTerminal);
  let clone: Clone;

  beforeAll(async () => {
    await buildProgram();
    clone = await startClone(start?.commands.replace('npm ci\n', '') ?? ''); // the packages are installed already
  }, BUILD_MS);

  afterAll(async () => await clone?.close());

  it('start the service, which prints the banner of the tour and the README', () => {
    const printed = clone.withoutPorts(clone.service.stdout);
    expect(start?.output).toContain('Ctrl-C');
    if (!fits(printed, `…${start?.output.trim()}…`)) expect(printed).toBe(start?.output);
    expect(readBlocks('README.md', String).map(({ output }) => output)).toContain(start?.output);
  });

  describe.each(documents)('$file', ({ file, login }) => {
    const titles = readBlocks(file, String).filter(runsHere);
    let blocks: Block[];
    let run: Running;

    beforeAll(async () => {
      blocks = readBlocks(file, clone.withPorts).filter(runsHere);
      run = await runBlocks(blocks, clone.terminal, login(clone.demo));
    }, 2 * DOCUMENT_MS);

    it.each(titles.map(({ place }, index) => ({ place, index })))('$place works as written', ({ index }) => {
      const { [index]: printed } = printedByBlock(run);
      const { commands = '', output = '' } = blocks[index] ?? {};
      if (printed === undefined) throw new Error(`These commands were not reached or failed:\n${commands}\n${run.stderr.slice(-2_000)}`);
      if (!fits(printed, output)) expect(printed).toBe(output);
    });
  });

  it('stop the service with Ctrl-C and leave no trace', async () => {
    await interrupt(clone.service);
    const end = startCommands(reset?.commands ?? '', clone.terminal);
    expect(await end.ended).toBe(0);
    if (!fits(end.stdout, reset?.output ?? '')) expect(end.stdout).toBe(reset?.output);
  });
});
