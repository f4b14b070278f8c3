import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { useTestAppWithStorage } from '../support/app/test-app.js';
import { aDropsite, eventsOf, put, refusals, senderOf } from '../support/delivery/dropsites.js';
import { aFile, call, type ProcessedItem } from '../support/media/uploads.js';

const { app } = useTestAppWithStorage();

const yesterday = () => new Date(Date.now() - 86_400_000).toISOString();
const bearer = (session: { access_token: string }) => ({ token: session.access_token });
const change = async (id: number, token: string, body: object) =>
  await call(`${app.url}/v5/dropsite/${id}`, { method: 'PUT', token, body });

describe('a dropsite link', () => {
  it('returns the dropsite with its clientId and a single-use code', async () => {
    const { dropsite } = await aDropsite(app, { description: 'Of the party', allowedTypes: ['image'], maxItemsPerDay: 3 });
    const sender = senderOf(app, dropsite.link);
    const [one, two] = [await sender.deliver(), await sender.deliver({ clientid: dropsite.clientId })];
    expect(one).toMatchObject({ status: 200 });
    expect(one.headers.get('cache-control')).toBe('no-store');
    expect(one.body).toEqual({
      link: dropsite.link,
      clientId: dropsite.clientId,
      code: expect.stringMatching(/^[\w-]{43}$/),
      codeExpiresIn: 600,
      name: 'Photos',
      description: 'Of the party',
      requiresPassword: false,
      allowAnonymous: true,
      allowedTypes: ['image'],
      maxItemsPerDay: 3,
      maxBytesPerDay: null,
      expiresAt: null,
    });
    expect({ ...two.body, code: one.body.code }).toEqual(one.body);
    expect(two.body.code).not.toBe(one.body.code);
  });

  it.each([randomUUID(), 'nothing', '1'])('that does not exist (%s) is not found', async (link) => {
    const sender = senderOf(app, link);
    const notice = { uploadId: randomUUID(), totalSize: 1, items: 1 };
    const answers = [await sender.deliver(), await sender.begin({ code: 'x' }), await sender.create(), await sender.started(notice)];
    expect(refusals(answers)).toEqual(Array(4).fill([404, 'not_found']));
  });

  it('that has expired accepts no new uploads, and lets current ones complete', async () => {
    const { dropsite, token } = await aDropsite(app);
    const sender = senderOf(app, dropsite.link);
    const { code } = (await sender.deliver()).body;
    const session = await sender.session();
    const { body: upload } = await sender.create({}, bearer(session));
    const [item] = upload.processed as [ProcessedItem];
    await change(dropsite.id, token, { expiresAt: yesterday() });
    const answers = [await sender.deliver(), await sender.begin({ code }), await sender.create(), await sender.create({}, bearer(session))];
    expect(refusals(answers)).toEqual(Array(4).fill([410, 'dropsite_expired']));
    await put(item);
    expect((await sender.started({ uploadId: upload.uploadId, totalSize: 11, items: 1 }, bearer(session))).status).toBe(202);
    expect((await sender.succeed(item, bearer(session))).status).toBe(200);
    expect((await sender.complete(upload.uploadId, bearer(session))).body).toMatchObject({ status: 'completed' });
    await change(dropsite.id, token, { expiresAt: null });
    expect((await sender.deliver()).status).toBe(200);
  });

  it('refuses the clientid of another dropsite, in any spelling, and a missing one', async () => {
    const { dropsite } = await aDropsite(app);
    const sender = senderOf(app, dropsite.link);
    for (const header of ['clientid', 'x-service-clientid']) {
      const headers = { [header]: 'dropsite-other' };
      const { code } = (await sender.deliver()).body;
      const answers = [await sender.deliver(headers), await sender.begin({ code }, headers), await sender.create({}, { headers })];
      expect(refusals(answers)).toEqual(Array(3).fill([401, 'client_mismatch']));
      expect((await sender.begin({ code })).status).toBe(200);
    }
  });

  it('is open to a browser that still sends the token of an ended session', async () => {
    const { dropsite } = await aDropsite(app);
    const { status } = await call(`${app.url}/v5/dropsite/deliver/${dropsite.link}`, { token: 'broken' });
    expect(status).toBe(200);
  });
});

describe('an anonymous sender', () => {
  it('uploads with only the link and the clientId', async () => {
    const { dropsite, owner, token } = await aDropsite(app, { publicAreaIds: [4, 7] });
    const sender = senderOf(app, dropsite.link);
    const headers = { clientid: dropsite.clientId };
    const uuid = randomUUID();
    const metadata = [{ title: 'description', content: 'The cake', language: 'en' }];
    const { status, body } = await sender.create({ payload: [aFile({ uuid, metadata })] }, { headers });
    expect([status, body.error]).toEqual([200, []]);
    const [item] = body.processed as [ProcessedItem];
    expect(item).toMatchObject({
      uuid,
      index: 0,
      id: expect.any(Number),
      fileName: 'portrait.jpg',
      credentials: { SessionToken: expect.any(String) },
    });
    await put(item);
    const notice = { uploadId: body.uploadId, duration: 90, totalSize: 11, items: 1 };
    expect([(await sender.started(notice)).status, (await sender.started(notice)).status]).toEqual([202, 202]);
    expect((await sender.succeed(item, { headers })).body).toEqual({
      mediaContainerId: item.id,
      mediaId: item.mediaId,
      status: 'successful',
    });
    expect((await sender.complete(body.uploadId, { headers })).body).toMatchObject({ status: 'completed' });
    expect((await sender.complete(body.uploadId, { headers })).body).toMatchObject({ status: 'completed' });
    const container = await call(`${app.url}/v5/mediacontainer/${item.id}`, { token });
    expect(container.body).toMatchObject({ origin: dropsite.id, creatorId: owner.id, metadata });
    const upload = { uploadId: body.uploadId, link: dropsite.link, dropsiteId: dropsite.id };
    const mediaContainerIds = [item.id];
    expect(await eventsOf(app, dropsite)).toEqual([
      {
        name: 'event:dropsiteUploadStarted',
        method: 'create',
        payload: { ...upload, ownerId: owner.id, duration: 90, totalSize: 11, items: 1 },
      },
      expect.objectContaining({
        name: 'event:dropsiteToPublicArea',
        method: 'create',
        payload: { dropsiteId: dropsite.id, publicAreaIds: [4, 7], mediaContainerIds },
      }),
      expect.objectContaining({
        name: 'event:dropsiteUploadComplete',
        method: 'update',
        payload: { ...upload, mediaContainerIds, email: null },
      }),
      expect.objectContaining({
        name: 'event:uploadComplete',
        method: 'update',
        payload: { uploadId: body.uploadId, mediaContainerIds, mediaContainerId: item.id, dropsiteId: dropsite.id },
      }),
    ]);
    expect((await call(`${app.url}/v5/dropsite/${dropsite.id}`, { token })).body).toMatchObject({ countUploads: 1 });
  });
});
