import { connect, type Socket } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { processesOf, type RunningProgram, spawnProgram, startProgram } from '../support/app/program.js';
import { useProgramFolder } from '../support/app/program-folder.js';
import { eventually } from '../support/eventually.js';
import { valueIn } from '../support/metrics.js';
import { SteadyLoad } from '../support/steady-load.js';

const LONG_MS = 300_000; // several starts, each of which takes 15 s on a busy machine
const RESTART_MS = 30_000;
const ANSWER_MS = 5_000;

const folder = useProgramFolder();
const start = async (env: Record<string, string> = {}) => await startProgram({ env: { DATA_DIR: folder.dataDir, ...env } });
const leftovers = () => processesOf(folder.dataDir);

/** The processes that answered, as their lines in the log say. */
const pidsInLog = ({ output }: RunningProgram): number[] => [
  ...new Set([...output.stdout.matchAll(/"pid":(\d+),.*"msg":"request"/g)].map(([, pid]) => Number(pid))),
];

/**
 * Each request on a connection of its own, because a connection stays with one process. One that the cluster hands to a process that has just
 * died is never answered.
 */
async function ask({ url }: RunningProgram, times: number): Promise<void> {
  for (let count = 0; count < times; count += 1) {
    const { status } = await fetch(`${url}/v4/jwks`, { headers: { connection: 'close' }, signal: AbortSignal.timeout(ANSWER_MS) });
    expect(status).toBe(200);
  }
}

/** How many of the requests above were counted, as the service says it at its own port and at METRICS_PORT. */
async function counts({ url, output }: RunningProgram): Promise<number[]> {
  const [, port] = /"port":(\d+),"msg":"metrics are served"/.exec(output.stdout) ?? [];
  const texts = await Promise.all([url, `http://127.0.0.1:${port}`].map(async (origin) => await (await fetch(`${origin}/metrics`)).text()));
  return texts.map(
    (text) => valueIn(text, 'http_request_duration_seconds_count{method="GET",route="/v4/jwks",status="200"}') ?? Number.NaN,
  );
}

describe('with WEB_CONCURRENCY=2', () => {
  it(
    'two processes answer on one port, count together, are replaced when they die, and end together',
    async () => {
      const program = await start({ WEB_CONCURRENCY: '2', METRICS_PORT: '0' });
      await ask(program, 6);
      await eventually(() => pidsInLog(program).length === 2);
      const [victim = Number.NaN, other] = pidsInLog(program);
      expect([victim, other]).not.toContain(program.process.pid);

      expect(await counts(program)).toEqual([6, 6]);

      process.kill(victim, 'SIGKILL');
      await eventually(async () => {
        await ask(program, 2).catch(() => {}); // a connection of the killed one
        return pidsInLog(program).length === 3;
      }, RESTART_MS);
      // What the killed one had counted is still part of the sums.
      for (const count of await counts(program)) expect(count).toBeGreaterThan(6);
      const metrics = await (await fetch(`${program.url}/metrics`)).text();
      expect(valueIn(metrics, 'web_process_deaths_total')).toBe(1);
      expect(program.output.stdout).toMatch(/"exitCode":null,"signal":"SIGKILL".*a web process died and is replaced/);
      expect(await program.end('SIGTERM')).toBe(0);
      expect(leftovers()).toEqual([]);
    },
    LONG_MS,
  );

  it(
    'a killed process loses only the uses of links that it has not written, and nothing is counted twice',
    async () => {
      const program = await start({ WEB_CONCURRENCY: '2', RATE_LIMIT: 'off' });
      const link = await sharePhoto(program);
      const deliver = async () => {
        const how = { redirect: 'manual', headers: { connection: 'close' }, signal: AbortSignal.timeout(ANSWER_MS) } as const;
        expect((await fetch(`${program.url}/v5/deliverFile/${link}`, how)).status).toBe(302);
      };
      const load = new SteadyLoad({ deliver }, 500);
      await eventually(() => load.sent > 500 && deliveriesInLog(program).size === 2);
      const [victim = Number.NaN] = deliveriesInLog(program).keys();
      process.kill(victim, 'SIGKILL');
      const { sent } = load;
      await eventually(() => load.sent > sent + 200);
      await load.stop();
      const delivered = load.sent - load.failures.length;
      expect(await program.end('SIGTERM')).toBe(0); // processes write what they have counted before they end

      const counted = deliveriesInLog(program);
      const again = await start();
      expect(await usesOf(again, link)).toBeGreaterThanOrEqual(delivered - (counted.get(victim) ?? 0) - load.failures.length);
      expect(await usesOf(again, link)).toBeLessThanOrEqual(load.sent);
      await again.end();
    },
    LONG_MS,
  );
});

/** How many deliveries each process has logged, by its pid. */
function deliveriesInLog({ output }: RunningProgram): Map<number, number> {
  const counts = new Map<number, number>();
  for (const [, pid] of output.stdout.matchAll(/"pid":(\d+),[^\n]*deliverFile[^\n]*"msg":"request"/g))
    counts.set(Number(pid), (counts.get(Number(pid)) ?? 0) + 1);
  return counts;
}

/** An access token of the demo user. */
async function tokenOf({ url }: RunningProgram): Promise<string> {
  const command = [process.execPath, 'scripts/run.mjs', 'admin/main.js', 'token', '--user', 'demo@example.org'];
  const { ended, output } = spawnProgram({ command, env: { DATA_DIR: folder.dataDir, PORT: new URL(url).port } });
  await ended;
  return (JSON.parse(output.stdout) as { access_token: string }).access_token;
}

/** Uploads the photo of the tour, and returns the link of a page that shows it. */
async function sharePhoto(program: RunningProgram): Promise<string> {
  const env = { SERVICE: program.url, TOKEN: await tokenOf(program) };
  const run = async (...command: string[]) => {
    const { ended, output } = spawnProgram({ command: [process.execPath, ...command], env });
    expect([await ended, output.stderr]).toEqual([0, '']);
    return output.stdout.trim();
  };
  const id = await run('sdk/examples/upload.mjs', 'samples/photo.jpg');
  return (await run('sdk/examples/show.mjs', id)).split('/').at(-1) ?? '';
}

async function usesOf(program: RunningProgram, link: string): Promise<number> {
  const headers = { authorization: `Bearer ${await tokenOf(program)}` };
  const links = (await (await fetch(`${program.url}/v5/embedlink`, { headers })).json()) as { link: string; uses: number }[];
  return links.find((one) => one.link === link)?.uses ?? Number.NaN;
}

describe('a running request when the service is stopped', () => {
  it('is answered, and the service ends', async () => {
    const program = await start({ SHUTDOWN_GRACE_SECONDS: '100' });
    const { socket, received } = await beginRequest(program);
    program.process.kill('SIGTERM');
    await eventually(async () => await isRefused(program));
    socket.write('2345');
    expect(await program.ended).toBe(0); // within the time of this test, which is less than the grace time
    expect(received()).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 4\d\d /);
    expect(leftovers()).toEqual([]);
  });

  it(
    'is cut off after SHUTDOWN_GRACE_SECONDS',
    async () => {
      const program = await start({ SHUTDOWN_GRACE_SECONDS: '1' });
      const { socket } = await beginRequest(program);
      const closed = new Promise((resolve) => socket.once('close', resolve));
      expect(await program.end('SIGTERM')).toBe(0);
      await closed;
      expect(leftovers()).toEqual([]);
    },
    LONG_MS,
  );
});

/** Sends the head of a request and one of its five bytes, and waits until the service has taken it up. */
async function beginRequest({ url }: RunningProgram): Promise<{ socket: Socket; received: () => string }> {
  const { port, host } = new URL(url);
  let text = '';
  const socket = connect(Number(port), '127.0.0.1').setEncoding('utf8');
  socket.on('data', (chunk: string) => {
    text += chunk;
  });
  socket.on('error', () => {}); // cut off by the service
  const head = ['POST /v4/token HTTP/1.1', `host: ${host}`, 'content-type: application/json', 'content-length: 5', 'expect: 100-continue'];
  socket.write(`${head.join('\r\n')}\r\n\r\n1`);
  await eventually(() => text.includes('100 Continue'));
  return { socket, received: () => text };
}

async function isRefused({ url }: RunningProgram): Promise<boolean> {
  const { port } = new URL(url);
  return await new Promise((resolve) => {
    const socket = connect(Number(port), '127.0.0.1');
    socket.once('error', () => resolve(true));
    socket.once('connect', () => {
      socket.destroy();
      resolve(false);
    });
  });
}
