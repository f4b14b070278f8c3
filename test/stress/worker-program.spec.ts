import { afterEach, describe, expect, it } from '@jest/globals';
import { findPort } from '../../src/process/find-port.js';
import { type Program, processesOf, type RunningProgram, spawnProgram, startProgram } from '../support/app/program.js';
import { useProgramFolder } from '../support/app/program-folder.js';
import { demoToken, offerScript, startWorker } from '../support/app/worker-program.js';
import { aFormat } from '../support/converter/formats.js';
import { transcode } from '../support/converter/transcoding.js';
import { eventually } from '../support/eventually.js';
import { uploadMedia } from '../support/media/media.js';
import { call } from '../support/media/uploads.js';
import { valueIn } from '../support/metrics.js';

const LONG_MS = 180_000;
const MAX_WAIT_MS = 60_000;

const folder = useProgramFolder();

/** What a service and a worker of one installation see. */
async function installation(): Promise<Record<string, string>> {
  return { DATA_DIR: folder.dataDir, PORT: String(await findPort('127.0.0.1', 0)), RATE_LIMIT: 'off', LOG_LEVEL: 'info' };
}

/** Uploads a text and has it made by a tool; answers the job when it has ended. */
async function makeLetters(service: RunningProgram, token: string) {
  const settings = { mediaTypes: ['document'], filetype: 'txt', parameters: { tool: 'capitals' } };
  const format = await aFormat(service, token, { blueprint: 'Tool of the operator', settings });
  const media = await uploadMedia(service, token, {
    content: 'a letter',
    type: 'document',
    fileName: 'letter.txt',
    originalFileExtension: 'txt',
  });
  const { body } = await transcode(service, token, { id: media.id, formatIds: [format.id] });
  const jobId = body.jobs[0]?.jobId ?? '';
  const result = async () =>
    (await call<{ ok?: boolean; mediaId?: number }>(`${service.url}/v5/activity/jobResult/${jobId}`, { token })).body;
  await eventually(async () => (await result()).mediaId !== undefined, MAX_WAIT_MS);
  return { media, format, result: await result() };
}

describe('npm run worker', () => {
  let running: Program[] = [];
  afterEach(async () => {
    for (const program of running) await program.end('SIGKILL');
    running = [];
  });
  const started = <P extends Program>(program: P): P => {
    running.push(program);
    return program;
  };

  it(
    'does the jobs of a service, and shuts down gracefully',
    async () => {
      offerScript(folder.dataDir, 'capitals', 'tr a-z A-Z < "$1" > "$2"');
      const env = await installation();
      const service = started(await startProgram({ env: { ...env, WORKER: 'off' } }));
      const token = await demoToken(service, folder.dataDir);
      const worker = started(await startWorker({ env: { ...env, METRICS_PORT: '0' } }));
      expect(worker.output.stdout).toContain('"cli:capitals"');
      const { media, format, result } = await makeLetters(service, token);
      expect(result).toMatchObject({ status: 'successful', mediaContainerId: media.id, formatId: format.id });
      const [, port] = /"port":(\d+),"msg":"metrics are served"/.exec(worker.output.stdout) ?? [];
      const metric = async (series: string) => valueIn(await (await fetch(`http://127.0.0.1:${port}/metrics`)).text(), series);
      await eventually(async () => (await metric('transcodings_total{outcome="made",reason=""}')) === 1);
      expect(await metric('storage_calls_total{operation="PutObject",outcome="ok"}')).toBe(1);
      expect(await worker.end('SIGTERM')).toBe(0);
      expect((await call(`${service.url}/v5/mediacontainer/${media.id}`, { token })).status).toBe(200);
      expect(await service.end()).toBe(0);
      expect(processesOf(folder.dataDir)).toEqual([]);
    },
    LONG_MS,
  );

  it(
    'that was there first leaves database and storage to the service that came later',
    async () => {
      offerScript(folder.dataDir, 'capitals', 'tr a-z A-Z < "$1" > "$2"');
      const env = await installation();
      const worker = started(await startWorker({ env }));
      const service = started(await startProgram({ env }));
      expect(await worker.end('SIGINT')).toBe(0);
      const token = await demoToken(service, folder.dataDir);
      await eventually(async () => (await call(`${service.url}/health/ready`)).status === 200, MAX_WAIT_MS);
      expect((await makeLetters(service, token)).result).toMatchObject({ status: 'successful' });
      expect(await service.end()).toBe(0);
    },
    LONG_MS,
  );

  it('reports problems of its configuration', async () => {
    const worker = spawnProgram({ command: [process.execPath, 'scripts/run.mjs', 'worker.js'], env: { DATABASE_URL: 'nonsense' } });
    expect(await worker.ended).toBe(1);
    expect(worker.output.stderr).toContain('DATABASE_URL');
  });
});
