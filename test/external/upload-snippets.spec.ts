import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { buildProgram, type Clone, startClone } from '../support/app/clone.js';
import { type Block, fits, readBlocks } from '../support/documents/document.js';
import { interrupt, printedByBlock, type Running, startBlocks, type Terminal } from '../support/shell.js';

const FILE = 'docs/uploads.md';
const BUILD_MS = 180_000; // a stale build takes about 15 s, more when the machine is busy
const PAGE_MS = 300_000; // about 30 s, several times that when the machine is busy
const SECONDS_LEFT = 60;

const blocks = readBlocks(FILE, String);
const withPrograms = blocks.map((block, index) => ({ ...block, index })).filter(({ needs }) => needs !== null);

/** Debian's programs, whatever others stand first in PATH. */
function makePath(folder: string): string {
  mkdirSync(folder);
  for (const name of ['aws', 'python3', 'rclone']) {
    if (!existsSync(`/usr/bin/${name}`)) throw new Error(`/usr/bin/${name} is missing: run \`npm run test:install\` as root.`);
    symlinkSync(`/usr/bin/${name}`, path.join(folder, name));
  }
  execFileSync('/usr/bin/python3', ['-c', 'import boto3']); // throws when python3-boto3 is missing
  return `${folder}:${process.env.PATH ?? ''}`;
}

/** The service, whose credentials seem to have a minute left: clients that renew theirs ask before almost every request. */
async function startImpatientService(service: string) {
  const asked: string[] = [];
  const server = createServer(async (request, response) => {
    const { method = '', url = '', headers } = request;
    const body = method === 'POST' ? await text(request) : undefined;
    const { authorization = '' } = headers;
    const answer = await fetch(`${service}${url}`, { method, headers: { authorization, 'content-type': 'application/json' }, body });
    asked.push(url.split('/')[3] ?? '');
    const soon = new Date(Date.now() + SECONDS_LEFT * 1_000).toISOString();
    response.writeHead(answer.status, { 'content-type': 'application/json' });
    response.end((await answer.text()).replaceAll(/"Expiration":"[^"]*"/g, `"Expiration":"${soon}"`));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

describe('the commands of docs/uploads.md that need further programs', () => {
  let clone: Clone;
  let terminal: Terminal;

  beforeAll(async () => {
    await buildProgram();
    clone = await startClone('npm start');
    terminal = { ...clone.terminal, env: { ...clone.terminal.env, PATH: makePath(path.join(clone.terminal.cwd, 'programs')) } };
  }, BUILD_MS);
  afterAll(async () => await clone?.close());

  async function run(commands: readonly Block[]): Promise<Running> {
    const running = startBlocks(commands, terminal);
    const timer = setTimeout(() => void interrupt(running, 'SIGKILL'), PAGE_MS);
    await running.ended;
    clearTimeout(timer);
    return running;
  }

  describe('in the whole page', () => {
    let page: Running;
    beforeAll(async () => {
      page = await run(readBlocks(FILE, clone.withPorts));
    }, PAGE_MS);

    it.each(withPrograms)('$place works as written with $needs', ({ index, commands, output }) => {
      const { [index]: printed } = printedByBlock(page);
      if (printed === undefined) throw new Error(`These commands were not reached or failed:\n${commands}\n${page.stderr.slice(-2_000)}`);
      if (!fits(printed, output)) expect(printed).toBe(output);
    });

    it('works to its end', () => {
      expect(printedByBlock(page)).toHaveLength(blocks.length);
    });
  });

  describe('when credentials end', () => {
    let service: Awaited<ReturnType<typeof startImpatientService>>;
    beforeAll(async () => {
      service = await startImpatientService(`http://localhost:${clone.terminal.env.PORT}`);
    });
    afterAll(() => service?.close());

    /** Runs a block after the first one of the page, which defines what all of them use. */
    async function runThere(commands: string): Promise<{ printed: string; asked: string[] }> {
      const [helpers] = readBlocks(FILE, clone.withPorts);
      if (!helpers) throw new Error(`${FILE} has no commands.`);
      const running = await run([helpers, { ...helpers, commands: `SERVICE=${service.url}\n${commands}` }]);
      const { 1: printed } = printedByBlock(running);
      if (printed === undefined) throw new Error(`It failed:\n${commands}\n${running.stderr.slice(-2_000)}`);
      return { printed, asked: service.asked.splice(0) };
    }

    it.each([
      ['the AWS SDK for JavaScript', 'node .data/upload.mjs .data/interview.mp4 video'],
      ['boto3', 'python3 .data/upload.py .data/interview.mp4 video'],
    ])(
      '%s asks createUpload again, and goes on',
      async (_, command) => {
        const { printed, asked } = await runThere(command);
        expect(printed.trim()).toBe('successful');
        expect(asked.filter((operation) => operation === 'createUpload').length).toBeGreaterThan(2);
        expect(asked.slice(-2)).toEqual(['success', 'uploadComplete']);
      },
      PAGE_MS,
    );

    it(
      'the AWS CLI asks getUploadCredentials again, and goes on',
      async () => {
        const { commands } = readBlocks(FILE, clone.withPorts).find(({ needs }) => needs === 'aws') ?? {};
        const { printed, asked } = await runThere(`item() { echo "$UPLOAD" | json processed 0 "$@"; }\n${commands}`);
        expect(printed.trim()).toMatch(/successful$/);
        expect(asked.filter((operation) => operation === 'getUploadCredentials').length).toBeGreaterThan(1);
      },
      PAGE_MS,
    );
  });
});
