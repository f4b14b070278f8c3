import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { Database } from '../../src/shared/database/index.js';
import { ObjectStorage } from '../../src/shared/storage/index.js';
import { type OriginalFile, useExecutionStage, workFolder } from '../support/converter/execution-stage.js';
import { eventually } from '../support/eventually.js';

const script = (text: string) => ['/bin/sh', '-c', text, 'tool', '{input}', '{output}'];
const stage = useExecutionStage({
  tools: [
    { name: 'shout', command: script('tr a-z A-Z <"$1" >"$2"') },
    { name: 'silent', command: script('exit 0') },
    { name: 'empty', command: script(': >"$2"') },
    { name: 'link', command: script('ln -s /etc/passwd "$2"') },
    { name: 'grumble', command: script('echo "cannot read it, in $PWD" >&2; exit 3') },
    { name: 'suicide', command: script('kill -KILL $$') },
    { name: 'wait', command: script(': >"$PWD/begun"; while :; do :; done') },
  ],
});
const tool = async (name: string, filetype = 'txt') =>
  await stage.format('cli', { mediaTypes: ['document'], filetype, parameters: { tool: name } });

async function aText(content = 'hello world'): Promise<OriginalFile> {
  const file = path.join(stage.folder, 'original.txt');
  await writeFile(file, content);
  return { file, type: 'document', fileExtension: 'txt' };
}

afterEach(() => expect(stage.leftovers()).toEqual([]));

describe('the work on a job', () => {
  it('makes a rendition with a program of the operator', async () => {
    const { file, rendition, source, progress } = await stage.make(await aText(), await tool('shout'));
    expect(await readFile(file, 'utf8')).toBe('HELLO WORLD');
    expect(rendition).toEqual({
      type: 'document',
      fileExtension: 'txt',
      fileSize: 11,
      etag: expect.any(String),
      version: expect.stringMatching(/^[\da-f]{32}$/),
      crc32: null,
      s3Key: expect.stringMatching(new RegExp(`^renditions/${stage.customerId}/\\d+/[0-9a-f-]{36}/1\\.txt$`)),
      test: false,
      facts: { width: null, height: null, duration: null, codec: null },
      streaming: null,
      storyboard: null,
    });
    expect(source).toEqual({ facts: rendition.facts, technicalMetadata: null });
    expect([...progress].sort((a, b) => a - b)).toEqual(progress);
    expect(progress.at(-1)).toBe(99);
    const stored = await stage.context.get(ObjectStorage).read(rendition.s3Key);
    expect(stored?.contentType).toBe('text/plain; charset=utf-8');
    stored?.body.destroy();
  });

  it('copies any file, and describes the copy as the original', async () => {
    const original = { ...(await aText('%PDF-')), fileExtension: 'a/../b' };
    const placed = await stage.place(original);
    await stage.context.get(Database).query('UPDATE media_items SET width = 3, codec = $2 WHERE id = $1', [placed.sourceMediaId, 'x']);
    const { outcome } = await stage.run(placed, await stage.format('copy', { mediaTypes: ['document'] }));
    expect(outcome).toMatchObject({
      kind: 'made',
      rendition: { fileExtension: 'a/../b', fileSize: 5, s3Key: expect.stringMatching(/\/1\.bin$/), facts: { width: 3, codec: 'x' } },
    });
  });

  it('does nothing for the format of the original', async () => {
    const { outcome } = await stage.run(await stage.place(await aText()), await stage.blueprint('original-document'));
    expect(outcome).toMatchObject({ kind: 'made', rendition: null });
  });

  it('marks a rendition of the test mode', async () => {
    const format = await stage.format('copy', { mediaTypes: ['document'], testMode: {} });
    expect((await stage.make(await aText(), format)).rendition.test).toBe(true);
  });

  it.each([
    ['silent', 'result_unreadable', /made no file/, null],
    ['empty', 'result_unreadable', /empty file/, null],
    ['link', 'result_unreadable', /made no file/, null],
    ['grumble', 'tool_failed', /grumble/, expect.stringMatching(/^cannot read it, in (?!.*media-delivery-work)/)],
    ['nobody', 'transcoding_refused', /no tool "nobody"/, null],
  ])('fails at once when the program is %s', async (name, code, message, log) => {
    const { outcome } = await stage.run(await stage.place(await aText()), await tool(name));
    expect(outcome).toEqual({ kind: 'failed', code, message: expect.stringMatching(message), log });
  });

  it('is repeated later when the program is killed', async () => {
    const { outcome } = await stage.run(await stage.place(await aText()), await tool('suicide'));
    expect(outcome).toMatchObject({ kind: 'later', reason: expect.stringContaining('suicide') });
  });

  it('stops quickly when it is called off, and the program with it', async () => {
    const calledOff = new AbortController();
    const running = stage.run(await stage.place(await aText()), await tool('wait'), { signal: calledOff.signal });
    await eventually(() => stage.leftovers().some((name) => existsSync(path.join(workFolder(), name, 'begun'))));
    expect(stage.leftovers()).toHaveLength(1);
    calledOff.abort(new Error('Cancelled.'));
    expect((await running).outcome).toEqual({ kind: 'later', reason: 'The work was stopped.' });
  });

  it('stores nothing if another worker has claimed the job', async () => {
    const isClaimed = async () => false;
    const placed = await stage.place(await aText());
    const { outcome } = await stage.run(placed, await tool('shout'), { isClaimed });
    expect(outcome).toMatchObject({ kind: 'later' });
    const { customerId } = stage;
    for await (const object of stage.context.get(ObjectStorage).list(`renditions/${customerId}/${placed.mediaContainerId}/`)) {
      throw new Error(`There is ${object.key}.`);
    }
  });
});

describe('the input of a job', () => {
  const fails = async (code: string, change: (placed: Awaited<ReturnType<typeof stage.place>>) => Promise<unknown>) => {
    const [placed, format] = [await stage.place(await aText()), await tool('shout')];
    await change(placed);
    expect((await stage.run(placed, format)).outcome).toMatchObject({ kind: 'failed', code });
  };
  const query = async (sql: string, values: unknown[]) => await stage.context.get(Database).query(sql, values);

  it('may be missing: the item, its object', async () => {
    await fails('source_missing', async ({ sourceMediaId }) => {
      await query(`UPDATE media_items SET status = 'deleted' WHERE id = $1`, [sourceMediaId]);
    });
    await fails('source_missing', async ({ mediaContainerId }) => {
      await query('DELETE FROM media_containers WHERE id = $1', [mediaContainerId]);
    });
    await fails('source_missing', async ({ s3Key }) => await stage.context.get(ObjectStorage).delete(s3Key));
  });

  it('may be missing: the format', async () => {
    const { outcome } = await stage.run(await stage.place(await aText()), 999_999);
    expect(outcome).toMatchObject({ kind: 'failed', code: 'format_gone' });
  });

  it('may be missing: the watermark', async () => {
    const format = await stage.blueprint('jpeg', { watermark: { mediaContainerId: 999_999 } });
    const { outcome } = await stage.run(await stage.place({ ...(await aText()), type: 'image' }), format);
    expect(outcome).toMatchObject({ kind: 'failed', code: 'watermark_missing' });
  });

  it('is of another size than it was: later', async () => {
    const placed = await stage.place(await aText());
    await query('UPDATE media_items SET file_size = 12 WHERE id = $1', [placed.sourceMediaId]);
    expect((await stage.run(placed, await tool('shout'))).outcome).toEqual({
      kind: 'later',
      reason: 'The object storage sent 11 bytes of a file of 12.',
    });
  });

  it('is larger than recorded, and its download is aborted, to be repeated later', async () => {
    const placed = await stage.place(await aText());
    await query('UPDATE media_items SET file_size = 10 WHERE id = $1', [placed.sourceMediaId]);
    expect((await stage.run(placed, await tool('shout'))).outcome).toEqual({
      kind: 'later',
      reason: 'The object storage sent more than the 10 bytes of a file.',
    });
  });

  it('is larger than the disk: later', async () => {
    const placed = await stage.place(await aText());
    await query('UPDATE media_items SET file_size = 1e17 WHERE id = $1', [placed.sourceMediaId]);
    expect((await stage.run(placed, await tool('shout'))).outcome).toEqual({ kind: 'later', reason: 'The disk of the worker is full.' });
  });

  it('is out of reach while the storage is away: later', async () => {
    const [placed, format] = [await stage.place(await aText()), await tool('shout')];
    await stage.storage.stop();
    expect((await stage.run(placed, format)).outcome).toMatchObject({ kind: 'later', reason: expect.stringContaining('storage') });
    await stage.storage.start();
    const goesAway = async () => {
      await stage.storage.stop();
      return true;
    };
    expect((await stage.run(placed, format, { isClaimed: goesAway })).outcome).toMatchObject({ kind: 'later' });
    await stage.storage.start();
    expect((await stage.run(placed, format)).outcome).toMatchObject({ kind: 'made' });
  });
});
