import path from 'node:path';
import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { WorkLimitsService } from '../../src/modules/converter/tools/work-limits.service.js';
import { newTranscodingOf, TranscodingQueueService } from '../../src/modules/converter/transcodings/transcoding-queue.service.js';
import { FormatReaderService } from '../../src/modules/formats/index.js';
import type { MediaType } from '../../src/modules/media/index.js';
import { Database } from '../../src/shared/database/index.js';
import { type Owner, useExecutionStage } from '../support/converter/execution-stage.js';
import { run } from '../support/converter/run-invocation.js';
import { rowsOf, storyOf } from '../support/converter/transcoding-stage.js';
import { eventually } from '../support/eventually.js';
import { docxOfTables, nestedPdf, put } from '../support/media/hostile-files.js';

interface WantedRendition {
  readonly file: string;
  readonly type: MediaType;
  readonly blueprint: string;
}

const stage = useExecutionStage({ worker: 'inline' });
const ffmpeg = async (...argv: string[]) => await run(stage.folder, 'ffmpeg', ['-nostdin', '-v', 'error', '-y', ...argv]);
const inFolder = (name: string) => path.join(stage.folder, name);
const limit = (limits: Partial<WorkLimitsService>) => void Object.assign(stage.context.get(WorkLimitsService), limits);
const process = () => ({ db: stage.context.get(Database) });

const PICTURE = { type: 'image', blueprint: 'image-thumbnail' } as const;
let attacker: Owner;
let neighbour: Owner;
let files: Readonly<Record<'pdf' | 'docx' | 'flac' | 'mp4' | 'jpg', WantedRendition>>;
beforeAll(async () => {
  [attacker, neighbour] = [await stage.join('Mallory'), await stage.join('Bobs')];
  const [flac, mp4, jpg] = [inFolder('silence.flac'), inFolder('slow.mp4'), inFolder('harbour.jpg')];
  await ffmpeg('-f', 'lavfi', '-i', 'anullsrc=r=8000:cl=mono', '-t', '18000', '-c:a', 'flac', '-compression_level', '0', flac);
  await ffmpeg('-f', 'lavfi', '-i', 'color=s=320x180:r=1', '-t', '7200', '-c:v', 'libx264', '-preset', 'ultrafast', mp4);
  await run(stage.folder, 'convert', ['-size', '640x480', 'plasma:', jpg]);
  files = {
    pdf: { file: put(stage.folder, 'nested.pdf', nestedPdf(11)), type: 'document', blueprint: 'document-page' },
    docx: { file: put(stage.folder, 'tables.docx', docxOfTables(60_000)), type: 'document', blueprint: 'document-pdf' },
    flac: { file: flac, type: 'audio', blueprint: 'mp3' },
    mp4: { file: mp4, type: 'video', blueprint: 'h264-360p' },
    jpg: { file: jpg, ...PICTURE },
  };
});
afterEach(async () => {
  const { rows } = await process().db.query<{ id: string; customerId: number }>(
    'SELECT id, customer_id AS "customerId" FROM transcoding_jobs',
  );
  for (const { id, customerId } of rows) await stage.context.get(TranscodingQueueService).cancel(customerId, id);
  await eventually(() => stage.leftovers().length === 0);
  limit(new WorkLimitsService());
});

/** Requests a format of a file; answers the id of the job. */
async function request(owner: Owner, { file, type, blueprint }: WantedRendition): Promise<string> {
  const { mediaContainerId, sourceMediaId } = await stage.place({ file, type, fileExtension: path.extname(file).slice(1), owner });
  const formatId = await stage.blueprint(blueprint);
  const { customerId } = owner;
  const visible = await stage.context.get(FormatReaderService).visibleTo(customerId);
  const format = visible.byId.get(formatId);
  if (!format) throw new Error(`Nobody sees ${blueprint}.`);
  const wanted = newTranscodingOf({ customerId, mediaContainerId, sourceMediaId, type }, format, visible);
  const [job] = await stage.context.get(TranscodingQueueService).enqueue([wanted]);
  return job?.jobId ?? '';
}

async function ended(jobId: string) {
  await eventually(async () => (await storyOf(process(), jobId)).status !== 'running');
  return await storyOf(process(), jobId);
}
const running = async () => (await rowsOf(process())).filter(({ state }) => state === 'running').map(({ id }) => id);

describe('short work that takes too long', () => {
  it.each(['pdf', 'docx', 'flac'] as const)('fails for good, and says what can be done: %s', async (name) => {
    limit({ shortCpuSeconds: 1 });
    expect(await ended(await request(attacker, files[name]))).toMatchObject({
      status: 'failed',
      code: 'took_too_long',
      message: expect.stringMatching(/ (used more processor time than its limit|took longer than [\d.]+ seconds)\. Upload a file/),
    });
  });
});

it('LibreOffice that takes too long is not reported as a crash', async () => {
  limit({ shortCpuSeconds: 3 }); // long enough for it to have started, when it handles signals itself
  expect(await ended(await request(attacker, files.docx))).toMatchObject({
    code: 'took_too_long',
    message: expect.stringMatching(/^soffice (used|took)/),
  });
});

it('LibreOffice is not started again for another format of a file with which it took too long', async () => {
  limit({ shortCpuSeconds: 3 });
  const placed = await stage.upload({ file: files.docx.file, type: 'document', fileExtension: 'docx' });
  const attempt = async (blueprint: string) => {
    const startedAt = performance.now();
    const { outcome } = await stage.run(placed, await stage.blueprint(blueprint));
    return { outcome, seconds: (performance.now() - startedAt) / 1_000 };
  };
  const first = await attempt('document-pdf');
  expect(first.outcome).toMatchObject({ code: 'took_too_long', message: expect.stringMatching(/^soffice (used|took).*Upload a file/) });
  const second = await attempt('document-page');
  expect(second.outcome).toEqual({ ...first.outcome, log: null });
  expect(second.seconds).toBeLessThan(3);
  limit({ shortCpuSeconds: 4 }); // more than before
  expect((await attempt('document-pdf')).seconds).toBeGreaterThan(2);
});

describe('long work', () => {
  it('fails when it has cost more than the length of the medium allows', async () => {
    limit({ longCpuSeconds: 1, longCpuPerSecond: 0 });
    expect(await ended(await request(attacker, files.mp4))).toMatchObject({ status: 'failed', code: 'took_too_long' });
  });

  it('leaves the last place to work that ends soon', async () => {
    limit({ lastPlaceSeconds: 60 }); // 7,200 seconds of small pictures are expected to take 720
    const films = [await request(attacker, files.mp4), await request(attacker, files.mp4)];
    await eventually(async () => (await rowsOf(process())).some(({ expectedSeconds }) => expectedSeconds === 721));
    expect((await running()).filter((id) => films.includes(id)).length).toBeLessThanOrEqual(1);
    const clip = inFolder('clip.mp4');
    await ffmpeg('-i', files.mp4.file, '-t', '5', clip);
    expect(await ended(await request(neighbour, { ...files.mp4, file: clip }))).toMatchObject({ status: 'successful' });
  });
});

describe('a picture of another customer', () => {
  it('is made within seconds while all files of an attacker are being made', async () => {
    const { jpg, ...hostile } = files;
    const attacks: string[] = [];
    for (const one of [...Object.values(hostile), ...Object.values(hostile)]) attacks.push(await request(attacker, one));
    await eventually(async () => (await running()).length >= 2);
    const startedAt = performance.now();
    expect(await ended(await request(neighbour, jpg))).toMatchObject({ status: 'successful' });
    expect(performance.now() - startedAt).toBeLessThan(15_000);
    expect(await running()).not.toEqual([]);
    expect((await running()).every((id) => attacks.includes(id))).toBe(true);
  });
});
