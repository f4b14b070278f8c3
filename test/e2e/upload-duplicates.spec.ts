import { randomUUID } from 'node:crypto';
import { beforeAll, expect, it } from '@jest/globals';
import { Database } from '../../src/shared/database/index.js';
import { aUser } from '../support/accounts/scenario.js';
import { useTestAppWithStorage } from '../support/app/test-app.js';
import { put } from '../support/delivery/dropsites.js';
import { aFile, call, type ProcessedItem, tokenOf, type UploadDocument } from '../support/media/uploads.js';

const { app } = useTestAppWithStorage();
let token: string;
beforeAll(async () => {
  token = await tokenOf(app, await aUser(app, { adminLevel: 9 }));
});

const prepare = async (file: object) =>
  (await call<UploadDocument>(`${app.url}/v5/s3/createUpload`, { token, body: { payload: [file] } })).body;

/** A successful original of `content`, 10 bytes. */
async function uploaded(file: object): Promise<ProcessedItem> {
  const [item] = (await prepare(file)).processed as [ProcessedItem];
  await put(item, '0123456789');
  const { status } = await call(`${app.url}/v5/s3/success`, { token, body: { bucket: item.bucket, key: item.s3Key } });
  expect(status).toBe(200);
  return item;
}

/** The containers that an upload of this file is said to repeat. */
const duplicatesOf = async (file: object) => (await prepare(file)).error.map(({ code, mediaContainerId }) => [code, mediaContainerId]);

const change = async (id: number, body: object) =>
  expect((await call(`${app.url}/v5/mediacontainer/${id}`, { method: 'PUT', token, body })).status).toBe(200);

const named = () => aFile({ fileName: randomUUID(), fileSize: 10 });
const withChecksum = () => {
  const checksum = `sha256:${randomUUID()}`;
  return {
    first: aFile({ fileName: randomUUID(), fileSize: 10, checksum }),
    again: aFile({ fileName: randomUUID(), fileSize: 3, checksum }),
  };
};

it.each([
  ['name, extension and size', () => ((file) => ({ first: file, again: file }))(named())],
  ['checksum', withChecksum],
])('a file in the trash is not a duplicate by %s until it is restored', async (_, files) => {
  const { first, again } = files();
  const { id } = await uploaded(first);
  expect(await duplicatesOf(again)).toEqual([['duplicate', id]]);
  await change(id, { flag: 1 });
  expect(await duplicatesOf(again)).toEqual([]);
  await change(id, { flag: 0 });
  expect(await duplicatesOf(again)).toEqual([['duplicate', id]]);
});

it('a file in the trash does not hide an older one that is not', async () => {
  const file = named();
  const older = await uploaded(file);
  const newer = await uploaded(file);
  expect(await duplicatesOf(file)).toEqual([['duplicate', newer.id]]);
  await change(newer.id, { flag: 1 });
  expect(await duplicatesOf(file)).toEqual([['duplicate', older.id]]);
});

it('a file in deletion is not a duplicate', async () => {
  const file = named();
  const { id } = await uploaded(file);
  await app.app.get(Database).query('UPDATE media_containers SET doomed = true WHERE id = $1', [id]);
  expect(await duplicatesOf(file)).toEqual([]);
});

it('a watermark asset is a duplicate like any other original', async () => {
  const file = named();
  const { id } = await uploaded(file);
  await change(id, { flag: 33, type: 'watermark' });
  expect(await duplicatesOf(file)).toEqual([['duplicate', id]]);
});

/** What comes after the original into its container: renditions and tracks. */
const addFile = async (containerId: number, fileName: string) => {
  const sql = `INSERT INTO media_items (media_container_id, customer_id, type, file_name, file_extension, file_size, status, bucket, s3_key)
    SELECT id, customer_id, type, $2, 'jpg', 10, 'successful', 'media', 'renditions/' || $2 FROM media_containers WHERE id = $1`;
  await app.app.get(Database).query(sql, [containerId, fileName]);
};

it('renditions and tracks are not duplicates, by name or checksum, even without their original', async () => {
  const { first, again } = withChecksum();
  const { id } = await uploaded(first);
  const file = named();
  await addFile(id, file.fileName);
  expect(await duplicatesOf(file)).toEqual([]);
  expect(await duplicatesOf(again)).toEqual([['duplicate', id]]);
  await app.app
    .get(Database)
    .query(`UPDATE media_items SET status = 'unsuccessful' WHERE media_container_id = $1 AND s3_key LIKE 'uploads/%'`, [id]);
  expect(await duplicatesOf(again)).toEqual([]);
});
