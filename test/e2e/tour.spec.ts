import { mkdirSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { findPort } from '../../src/process/find-port.js';
import { environmentName, settings } from '../../src/shared/config/index.js';
import { TestBrowser } from '../support/browser.js';
import { type Block, fits, readBlocks } from '../support/document.js';
import { eventually } from '../support/eventually.js';
import { signIn } from '../support/scenario.js';
import { interrupt, printedByBlock, type Running, startBlocks, startCommands, type Terminal } from '../support/shell.js';
import { makeTestFolder, removeTestFolder } from '../support/test-cluster.js';

const ROOT = path.resolve(import.meta.dirname, '../..');
const BUILD_MS = 180_000; // a stale build takes about 15 s, more when the machine is busy
const DOCUMENT_MS = 180_000; // about 15 s, several times that when the machine is busy

/** Hides a developer's own .env. */
const NO_SETTINGS = Object.fromEntries(Object.keys(settings).map((name) => [environmentName(name), '']));

interface Login {
  readonly email: string;
  readonly password: string;
}

/** What the commands see in place of a clone: this one's programs and packages, and a data directory of its own. */
function makeClone(folder: string): void {
  for (const name of ['package.json', 'scripts', 'dist', 'node_modules']) symlinkSync(path.join(ROOT, name), path.join(folder, name));
  mkdirSync(path.join(folder, 'home'));
  symlinkSync(path.join(folder, 'data'), path.join(folder, '.data')); // where removeTestFolder() looks for a server that was left behind
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
];

describe('the commands of the documents', () => {
  const ports = { '3000': 0, '8080': 0 };
  const withPorts = (text: string) => text.replace(/(?<!\d)(3000|8080)(?!\d)/g, (port) => String(ports[port as keyof typeof ports]));
  const [start, reset] = readBlocks('docs/tour.md', String).filter(({ inFirstTerminal }) => inFirstTerminal);
  let folder: string;
  let terminal: Terminal;
  let service: Running;
  let demo: Login;

  beforeAll(async () => {
    const build = startCommands('node scripts/build.mjs', { cwd: ROOT, env: { PATH: process.env.PATH ?? '' } });
    if ((await build.ended) !== 0) throw new Error(`The build failed: ${build.stderr}`);
    folder = makeTestFolder();
    makeClone(folder);
    for (const port of ['3000', '8080'] as const) ports[port] = await findPort('127.0.0.1', 0);
    const env = { HOME: path.join(folder, 'home'), DATA_DIR: path.join(folder, 'data'), PORT: String(ports['3000']) };
    terminal = { cwd: folder, env: { PATH: process.env.PATH ?? '', npm_config_update_notifier: 'false', ...NO_SETTINGS, ...env } };
    // The packages are installed already.
    service = startCommands(start?.commands.replace('npm ci\n', '') ?? '', terminal);
    await Promise.race([service.ended, eventually(() => service.stdout.includes('Ctrl-C stops everything'), 60_000)]);
    const [, email = '', password = ''] = /E-mail: (\S+)\n +Password: (\S+)/.exec(service.stdout) ?? [];
    demo = { email, password };
  }, BUILD_MS);

  afterAll(async () => {
    if (service) await interrupt(service, 'SIGKILL');
    if (folder) await removeTestFolder(folder);
  });

  it('start the service, which prints the banner of the tour and the README', () => {
    const printed = service.stdout.replaceAll(String(ports['3000']), '3000');
    expect(start?.output).toContain('Ctrl-C');
    if (!fits(printed, `…${start?.output.trim()}…`)) expect(printed).toBe(start?.output);
    expect(readBlocks('README.md', String).map(({ output }) => output)).toContain(start?.output);
  });

  describe.each(documents)('$file', ({ file, login }) => {
    const titles = readBlocks(file, String).filter(({ inFirstTerminal }) => !inFirstTerminal);
    let blocks: Block[];
    let run: Running;

    beforeAll(async () => {
      blocks = readBlocks(file, withPorts).filter(({ inFirstTerminal }) => !inFirstTerminal);
      run = await runBlocks(blocks, terminal, login(demo));
    }, 2 * DOCUMENT_MS);

    it.each(titles.map(({ place }, index) => ({ place, index })))('$place works as written', ({ index }) => {
      const { [index]: printed } = printedByBlock(run);
      const { commands = '', output = '' } = blocks[index] ?? {};
      if (printed === undefined) throw new Error(`These commands were not reached or failed:\n${commands}\n${run.stderr.slice(-2_000)}`);
      if (!fits(printed, output)) expect(printed).toBe(output);
    });
  });

  it('stop the service with Ctrl-C and leave no trace', async () => {
    await interrupt(service);
    const end = startCommands(reset?.commands ?? '', terminal);
    expect(await end.ended).toBe(0);
    if (!fits(end.stdout, reset?.output ?? '')) expect(end.stdout).toBe(reset?.output);
  });
});
