import { beforeAll, describe, expect, it } from '@jest/globals';
import sharp from 'sharp';
import { Database } from '../../src/shared/database/index.js';
import { aUser } from '../support/accounts/scenario.js';
import { startTestApp, useTestAppWithStorage } from '../support/app/test-app.js';
import { promptly } from '../support/eventually.js';
import { inspectUploads, type UploadedMedia, uploadMedia } from '../support/media/media.js';
import { call, tokenOf } from '../support/media/uploads.js';

const { app, storage } = useTestAppWithStorage();
let token: string;
beforeAll(async () => {
  token = await tokenOf(app, await aUser(app));
});

/** A photo of 40 x 30 pixels that is stored lying. */
const lying = async () =>
  await sharp({ create: { width: 40, height: 30, channels: 3, background: 'red' } })
    .withMetadata({ orientation: 6 })
    .jpeg()
    .toBuffer();

const upload = async (content: Buffer, extension = 'jpg') =>
  await uploadMedia(app, token, { content, type: 'image', fileName: `photo.${extension}`, originalFileExtension: extension });
const sizeOf = async ({ id }: UploadedMedia) => {
  const { body } = await call<{ media: { width: number | null; height: number | null }[] }>(`${app.url}/v5/mediacontainer/${id}`, {
    token,
  });
  const [original] = body.media;
  return [original?.width, original?.height];
};

describe('the size of an uploaded picture', () => {
  it('is unknown at its success, and upright from its inspection on', async () => {
    const photo = await upload(await lying());
    expect(await sizeOf(photo)).toEqual([null, null]);
    await inspectUploads(app);
    expect(await sizeOf(photo)).toEqual([30, 40]);
  });

  it('is also that of one that is not fetched completely', async () => {
    const picture = sharp({ create: { width: 5_000, height: 4_600, channels: 3, background: 'red' } }).withMetadata({ orientation: 8 });
    const photo = await upload(await picture.png({ compressionLevel: 0 }).toBuffer(), 'png');
    await inspectUploads(app);
    expect(await sizeOf(photo)).toEqual([4_600, 5_000]);
  });

  it('comes within two seconds, before any other job', async () => {
    const photo = await lying();
    await upload(photo);
    const { rows } = await app.app
      .get(Database)
      .query<{ task: string }>('SELECT task_identifier AS task FROM graphile_worker.jobs ORDER BY priority, run_at, id LIMIT 1');
    expect(rows).toEqual([{ task: 'inspect_file' }]);
    const worker = await startTestApp({ ...storage.settings, database: app.database, worker: 'inline' });
    try {
      let last: UploadedMedia | undefined;
      await promptly(2_000, {
        change: async () => {
          last = await upload(photo);
        },
        effect: async () => last !== undefined && (await sizeOf(last))[0] === 30,
      });
    } finally {
      await worker.close();
    }
  });
});
