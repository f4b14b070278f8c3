import { mkdtempSync, rmSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ConverterWorker } from '../../src/modules/converter/index.js';
import { ConverterWorkersService } from '../../src/modules/converter/tools/converter-workers.service.js';
import { IsolationService } from '../../src/modules/converter/tools/isolation.service.js';
import { FormatAvailabilityService } from '../../src/modules/formats/index.js';
import type { Config } from '../../src/shared/config/index.js';
import { Database } from '../../src/shared/database/index.js';
import { HealthController } from '../../src/shared/health/health.controller.js';
import { ReadyDetailsService } from '../../src/shared/health/ready-details.service.js';
import { WorkerPresenceService } from '../../src/shared/jobs/index.js';
import { aResponse } from '../support/accounts/exchange.js';
import { startTestContext, type TestContext } from '../support/app/test-context.js';
import { capturedLog } from '../support/captured-log.js';
import { writeOperatorTools, writeScript } from '../support/converter/tool-scripts.js';
import { createTestDatabase, type TestDatabase } from '../support/database/test-database.js';
import { eventually } from '../support/eventually.js';

const LOOKS = 3;
const isRefusal = ({ level, msg }: { level?: unknown; msg?: unknown }) => level === 50 && String(msg).startsWith('Programs');
const FROM_LOOPBACK = {
  headers: {},
  socket: { remoteAddress: '127.0.0.1' },
  context: { host: 'localhost', clientAddress: '127.0.0.1' },
};

describe('workers that make renditions', () => {
  let database: TestDatabase;
  let folder: string;
  let processes: TestContext[];
  beforeEach(async () => {
    database = await createTestDatabase();
    folder = mkdtempSync(path.join(tmpdir(), 'workers-'));
    processes = [];
  });
  afterEach(async () => {
    await Promise.all(processes.map(async (process) => await process.close()));
    await database.drop();
    rmSync(folder, { recursive: true, force: true });
  });

  /** A process that can make what these tools make. */
  async function start(tools: readonly string[] = [], settings: Partial<Config> = {}) {
    const dataDir = mkdtempSync(path.join(folder, 'data-'));
    writeOperatorTools(dataDir, Object.fromEntries(tools.map((name) => [name, 'exit 0'])));
    const { log, lines } = capturedLog();
    const process = await startTestContext({ ...settings, database, dataDir, log });
    processes.push(process);
    const presence = process.get(WorkerPresenceService);
    return {
      lines,
      presence,
      workers: process.get(ConverterWorkersService),
      isolation: process.get(IsolationService),
      database: process.get(Database),
      missing: async (...programs: string[]) => await process.get(FormatAvailabilityService).missing(programs),
      reasonFor: async (...programs: string[]) => await process.get(FormatAvailabilityService).findReason(programs),
      ready: async () => await process.get(HealthController).ready(FROM_LOOPBACK as never, aResponse() as never),
      health: async () => (await process.get(ReadyDetailsService).all()).converter,
      /** Does what a worker does at its start. */
      join: async (name: string) => {
        await presence.start();
        presence.announce(name);
        await process.get(ConverterWorkersService).join(name);
      },
    };
  }
  const namesIn = async ({ workers }: { workers: ConverterWorkersService }) => (await workers.all()).map(({ name }) => name);

  it('are known to every process while they run, with their programs', async () => {
    const [web, worker] = [await start(), await start(['upper'])];
    expect(await web.health()).toEqual({ workers: 0, programs: {}, isolation: null });
    expect(await web.missing('cli:upper', 'cli:lower')).toEqual([]);

    await worker.join('one');
    await eventually(async () => (await namesIn(web)).includes('one'));
    expect(await web.missing('cli:upper')).toEqual([]);
    expect(await web.missing('cli:upper', 'cli:lower')).toEqual(['cli:lower']);
    const { programs, workers, isolation } = (await web.health()) ?? {};
    expect([workers, programs?.['cli:upper']]).toEqual([1, 'available']);
    expect(Object.keys(programs ?? {})).toEqual(
      expect.arrayContaining(['ffmpeg', 'ffprobe', 'convert', 'soffice', 'pdftoppm', 'exiftool']),
    );
    expect(isolation).toEqual((await web.workers.all())[0]?.isolation);

    await worker.workers.leave('one');
    await eventually(async () => (await namesIn(web)).length === 0);
    expect(await web.missing('cli:lower')).toEqual([]);
  });

  it('that must not run programs without isolation report it everywhere', async () => {
    const PATH = process.env.PATH;
    process.env.PATH = path.join(folder, 'bin'); // nothing that isolates
    try {
      const [refusing, bare] = [
        await start(['upper'], { converterIsolation: 'required' }),
        await start([], { converterIsolation: 'required' }),
      ];
      await bare.join('bare');
      expect([(await bare.ready()).status, bare.lines.filter(isRefusal)]).toEqual(['ok', []]);
      await bare.workers.leave('bare');

      writeScript(path.join(folder, 'bin', 'ffmpeg'), 'echo ffmpeg version 1');
      await refusing.join('one');
      const sentence =
        'Programs cannot be isolated on this machine: bubblewrap is not installed (npm run install:tools); docs/converter.md, "How programs are isolated", says what the machine needs.';
      expect(refusing.lines.filter(isRefusal)).toMatchObject([{ worker: 'one', msg: sentence }]);
      await eventually(async () => (await refusing.ready()).status !== 'ok'); // a check that takes longer than an answer waits is in the next one
      const { status, reasons, details } = await refusing.ready();
      expect([status, reasons]).toEqual(['degraded', [`A worker on ${hostname()} runs no programs. ${sentence}`]]);
      expect(details?.converter?.programs).toMatchObject({
        ffmpeg: `ffmpeg is not run. ${sentence}`,
        ffprobe: expect.stringContaining('is not installed'),
      });
      expect(await refusing.reasonFor('ffmpeg', 'cli:upper')).toMatch(
        /^No worker may run ffmpeg and the tool "upper": its machine cannot isolate programs; /,
      );
      expect(await refusing.reasonFor()).toBeNull();
      const limits = { seconds: 1, cpuSeconds: 1, fileBytes: 1, memoryBytes: 1 };
      await expect(refusing.isolation.enclose({ file: path.join(folder, 'bin/ffmpeg'), folder, limits })).rejects.toThrow(sentence);
    } finally {
      process.env.PATH = PATH;
    }
  });

  it('log their programs and, in one line, the missing ones', async () => {
    const { PATH = '' } = process.env;
    process.env.PATH = path.join(folder, 'nothing');
    try {
      const { join, lines, health } = await start(['upper']);
      await join('one');
      const programs = Object.entries((await health())?.programs ?? {});
      const missing = programs.filter(([, text]) => text.includes('is not installed')).map(([name]) => name);
      expect(missing).toContain('ffmpeg');
      expect(lines.flatMap(({ level, missing: named }) => (level === 40 && Array.isArray(named) ? [named.sort()] : []))).toEqual([
        missing.sort(),
      ]);
      expect(lines.filter(({ msg }) => msg === 'a converter worker started')).toMatchObject([
        { level: 30, worker: 'one', programs: expect.arrayContaining(['cli:upper']), isolation: expect.any(Object) },
      ]);
    } finally {
      process.env.PATH = PATH;
    }
  });

  it('keep their reported programs', async () => {
    const { join, database: db, workers } = await start(['upper']);
    await join('one');
    const rows = await db.repository(ConverterWorker).find();
    expect(rows).toEqual(await workers.all());
    expect(rows).toMatchObject([
      { name: 'one', host: hostname(), programs: expect.arrayContaining(['cli:upper']), startedAt: expect.any(Date) },
    ]);
    expect(Object.keys(rows[0]?.tools ?? {})).toContain('ffmpeg');
  });

  it('that died are removed by a process that finds their lock released, and logged with their machine', async () => {
    const [web, dying, other] = [await start(), await start(), await start()];
    await dying.join('the one');
    await other.join('another');
    await eventually(async () => (await namesIn(web)).join() === 'the one,another'); // as they began
    await dying.presence.stop(); // what the others see of a process that died: its lock is gone
    await eventually(async () => (await namesIn(web)).join() === 'another');
    await eventually(() => other.lines.find(({ msg }) => msg === 'a converter worker died'));
    expect(other.lines.filter(({ msg }) => msg === 'a converter worker died')).toMatchObject([{ worker: 'the one', host: hostname() }]);
  });

  it('that were forgotten by mistake come back', async () => {
    const [web, worker] = [await start(), await start()];
    await worker.join('one');
    await web.database.query('DELETE FROM converter_workers');
    for (let look = 0; look < LOOKS; look += 1) await worker.presence.releaseDead();
    await eventually(async () => (await namesIn(web)).join() === 'one');
  });
});
