import { randomUUID } from 'node:crypto';
import { expect, it } from '@jest/globals';
import { useTestAppWithStorage } from '../support/app/test-app.js';
import { aTranscoding } from '../support/converter/shown-transcoding.js';
import { aDropsite, type DropsiteBody, put, refusals, senderOf } from '../support/delivery/dropsites.js';
import { aFormat } from '../support/delivery/player-configurations.js';
import { aFile, call } from '../support/media/uploads.js';

const { app } = useTestAppWithStorage();

type Progress = { mediaContainerId: number; progress: number; status: string }[];

const progress = async ({ link }: Pick<DropsiteBody, 'link'>, uploadId: string, headers: Record<string, string> = {}) =>
  await call<Progress>(`${app.url}/v5/dropsite/${link}/progress?uploadId=${uploadId}`, { headers });

/** Two films of a sender that have arrived; with a session of theirs, which has ended. */
async function aDelivery({ withSession = false } = {}) {
  const { owner, token, dropsite } = await aDropsite(app);
  const sender = senderOf(app, dropsite.link);
  const headers = { clientid: dropsite.clientId };
  const session = withSession ? { token: (await sender.session()).access_token } : {};
  const payload = ['one.mp4', 'two.mp4'].map((fileName) => aFile({ type: 'video', fileName, originalFileExtension: 'mp4' }));
  const { body } = await sender.create({ payload }, { headers, ...session });
  for (const item of body.processed) {
    await put(item);
    await sender.succeed(item, { headers, ...session });
  }
  await sender.complete(body.uploadId, { headers, ...session });
  const [preview, full] = [
    await aFormat(app, owner, { usage: 'preview', settings: { mediaTypes: ['video'], filetype: 'mp4' } }),
    await aFormat(app, owner, { settings: { mediaTypes: ['video'], filetype: 'mp4' } }),
  ];
  const [one = 0, two = 0] = body.processed.map(({ id }) => id);
  return { token, dropsite, headers, session, one, two, preview: preview.id, full: full.id, uploadId: body.uploadId };
}

it.each([false, true])('returns the progress of previews to the sender after completion (with a session: %s)', async (withSession) => {
  const { dropsite, uploadId, headers, session, one, two, preview, full } = await aDelivery({ withSession });
  expect(await progress(dropsite, uploadId, headers)).toMatchObject({ status: 200, body: [] });
  const job = await aTranscoding(app, { containerId: one, formatId: preview, progress: 42 });
  await aTranscoding(app, { containerId: one, formatId: full, progress: 5 });
  expect((await progress(dropsite, uploadId, headers)).body).toEqual([{ mediaContainerId: one, progress: 42, status: 'running' }]);
  await job.succeed();
  await (await aTranscoding(app, { containerId: two, formatId: preview })).fail();
  const answer = await progress(dropsite, uploadId, { ...headers, ...(session.token && { authorization: `Bearer ${session.token}` }) });
  expect(answer.body).toEqual([
    { mediaContainerId: one, progress: 100, status: 'successful' },
    { mediaContainerId: two, progress: 0, status: 'failed' },
  ]);
  expect(answer.headers.get('cache-control')).toBe('no-store');
});

it('returns nothing to others, and nothing of other uploads', async () => {
  const [own, other] = [await aDelivery(), await aDelivery()];
  await aTranscoding(app, { containerId: other.one, formatId: other.preview, progress: 42 });
  const answers = [
    await progress(own.dropsite, own.uploadId),
    await progress(own.dropsite, own.uploadId, other.headers),
    await progress(own.dropsite, other.uploadId, own.headers),
    await progress(own.dropsite, randomUUID(), own.headers),
    await progress({ link: randomUUID() }, own.uploadId, own.headers),
    await progress(own.dropsite, 'x', own.headers),
  ];
  expect(refusals(answers)).toEqual([
    [401, 'client_mismatch'],
    [401, 'client_mismatch'],
    [404, 'not_found'],
    [404, 'not_found'],
    [404, 'not_found'],
    [400, 'validation_failed'],
  ]);
  expect((await progress(own.dropsite, own.uploadId, own.headers)).body).toEqual([]);
});

it('continues after the dropsite has expired', async () => {
  const { token, dropsite, uploadId, headers } = await aDelivery();
  await call(`${app.url}/v5/dropsite/${dropsite.id}`, { method: 'PUT', token, body: { expiresAt: '2020-01-01T00:00:00Z' } });
  expect((await progress(dropsite, uploadId, headers)).status).toBe(200);
});
