import { existsSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { buildProgram, type Clone, startClone } from '../support/app/clone.js';
import { launchChromium } from '../support/browser/chromium.js';
import { runDebianProgram } from '../support/debian-program.js';
import { fits, readBlocks, readSnippet } from '../support/documents/document.js';
import { eventually } from '../support/eventually.js';
import { interrupt, printedByBlock, type Running, startBlocks } from '../support/shell.js';

const FILE = 'docs/streaming.md';
const BUILD_MS = 180_000; // a stale build takes about 15 s, more when the machine is busy
const PAGE_MS = 180_000; // about 20 s, several times that when the machine is busy
const SECONDS = 12;

const blocks = readBlocks(FILE, String);

/** Another site, whose pages are those of the document. */
async function startSite(pages: Readonly<Record<string, string>>): Promise<{ url: string; server: Server }> {
  const server = createServer(({ url = '' }, response) => {
    response.writeHead(pages[url] === undefined ? 404 : 200, { 'content-type': 'text/html' }).end(pages[url]);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server };
}

describe('docs/streaming.md', () => {
  let clone: Clone;
  let run: Running;
  let browser: Browser;
  let site: Awaited<ReturnType<typeof startSite>>;
  let address: string;

  beforeAll(async () => {
    for (const program of ['ffmpeg', 'ffprobe', 'mpv', 'chromium'])
      if (!existsSync(`/usr/bin/${program}`)) throw new Error(`/usr/bin/${program} is missing: run \`npm run test:install\` as root.`);
    await buildProgram();
    clone = await startClone('npm start');
    run = startBlocks(readBlocks(FILE, clone.withPorts), clone.terminal);
    const timer = setTimeout(() => void interrupt(run, 'SIGKILL'), PAGE_MS);
    await run.ended;
    clearTimeout(timer);
    const [, link = ''] = /Link: (\S+)/.exec(run.stdout) ?? [];
    const service = clone.withPorts('http://localhost:3000');
    address = `${service}/v5/deliverEmbed/${link}`;
    const page = (heading: string) =>
      readSnippet(FILE, heading, 'html')
        .replaceAll('https://media.example.org', service)
        .replaceAll('8d1f6b0a-3c53-4d5b-9d0e-6a1f9f3c2b11', link);
    site = await startSite({
      '/frame': page('## In a frame'),
      '/hls': page('## With hls.js'),
      '/native': page('## With the player of the browser'),
    });
    browser = await launchChromium(['--autoplay-policy=no-user-gesture-required']);
  }, BUILD_MS + PAGE_MS);

  afterAll(async () => {
    await browser?.close();
    site?.server.close();
    await clone?.close();
  });

  it.each(blocks.map(({ place, commands, output }, index) => ({ place, commands, output, index })))(
    '$place works as written',
    ({ index, commands, output }) => {
      const { [index]: printed } = printedByBlock(run);
      if (printed === undefined) throw new Error(`These commands were not reached or failed:\n${commands}\n${run.stderr.slice(-2_000)}`);
      const shown = clone.withoutPorts(printed);
      if (!fits(shown, output)) expect(shown).toBe(output);
    },
  );

  it.each([
    ['hls.js', '/hls'],
    ['the player of the browser', '/native'],
    ['the page in a frame', '/frame'],
  ])('has a page of another site that plays the film to its end with %s', async (_, path) => {
    const page = await browser.newPage();
    await page.route('https://cdn.jsdelivr.net/npm/hls.js@*/**', async (route) => {
      await route.fulfill({
        contentType: 'text/javascript',
        body: readFileSync(createRequire(import.meta.url).resolve('hls.js/dist/hls.min.js')),
      });
    });
    await page.goto(`${site.url}${path}`);
    const frame = async () => page.frames().find((one) => path !== '/frame' || one !== page.mainFrame());
    const film = `[...document.querySelectorAll('video')][0]`;
    const evaluate = async <T>(script: string) => (await (await frame())?.evaluate(script)) as T;
    await eventually(async () => await evaluate<boolean>(`${film}?.readyState >= 1`).catch(() => false));
    await evaluate(`(async () => { ${film}.muted = true; await ${film}.play(); ${film}.currentTime = ${SECONDS - 2}; })()`);
    await eventually(async () => await evaluate<boolean>(`${film}.ended`));
    expect(await evaluate<number>(`${film}.duration`)).toBeCloseTo(SECONDS, 0);
    await page.close();
  });

  it('has a film whose renditions ffprobe reads to the end', async () => {
    const probe = await runDebianProgram(
      'ffprobe',
      ['-v', 'error', '-count_packets', '-show_entries', 'stream=codec_name,nb_read_packets', '-of', 'csv=p=0', `${address}/master.m3u8`],
      {
        cwd: clone.terminal.cwd,
      },
    );
    const packets = probe.output.split('\n').filter((line) => line.startsWith('h264,'));
    expect([probe.code, packets.slice(0, 2)]).toEqual([0, ['h264,300', 'h264,300']]);
  });
});
