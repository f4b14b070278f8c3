import { beforeAll, describe, expect, it } from '@jest/globals';
import { InspectionsService } from '../../src/modules/converter/inspection/inspections.service.js';
import { TranscodingQueueService } from '../../src/modules/converter/transcodings/transcoding-queue.service.js';
import { Database } from '../../src/shared/database/index.js';
import { EVENT_NAMES, type EventMethod, type EventName } from '../../src/shared/events/index.js';
import { useTestAppWithStorage } from '../support/app/test-app.js';
import { aDropsite, put, senderOf } from '../support/delivery/dropsites.js';
import { readSnippet } from '../support/documents/document.js';
import { DocumentedAnswers } from '../support/documents/documented-answers.js';
import { uploadMedia } from '../support/media/media.js';
import { call } from '../support/media/uploads.js';

/** Contract section 9. */
const METHODS: Readonly<Record<EventName, EventMethod>> = {
  'event:s3success': 'create',
  'event:mediaProblem': 'create',
  'event:uploadComplete': 'update',
  'event:dropsiteUploadComplete': 'update',
  'event:dropsiteUploadStarted': 'create',
  'event:releaseRequest': 'create',
  'event:transcoderJobComplete': 'update',
  'event:dropsiteToPublicArea': 'create',
};

/** What a value is, without saying which: two payloads of one kind are equal. */
function kindOf(value: unknown): unknown {
  if (Array.isArray(value)) return [kindOf(value[0])];
  if (typeof value !== 'object' || value === null) return value === null ? null : typeof value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, kindOf(inner)]));
}

describe('the events', () => {
  const { app } = useTestAppWithStorage();
  const documents = new DocumentedAnswers();
  const happened = new Map<string, { method: string; payload: Record<string, unknown> }>();

  /** Everything that causes an event, as clients do it. */
  beforeAll(async () => {
    const { owner, token, dropsite } = await aDropsite(app, { publicAreaIds: [4, 9] });
    const media = await uploadMedia(app, token);
    await call(`${app.url}/v5/mediacontainer/${media.id}/releaseRequest`, { token, body: { message: 'May we print this?' } });
    const own = await call<{ uploadId: string; processed: { bucket: string; s3Key: string }[] }>(`${app.url}/v5/s3/createUpload`, {
      token,
      body: { payload: [{ type: 'document', fileName: 'a.txt', originalFileExtension: 'txt', fileSize: 11 }] },
    });
    await put(own.body.processed[0] as never);
    const { bucket, s3Key: key } = own.body.processed[0] as { bucket: string; s3Key: string };
    await call(`${app.url}/v5/s3/success`, { token, body: { bucket, key } });
    await call(`${app.url}/v5/s3/uploadComplete`, { token, body: { uploadId: own.body.uploadId } });
    await remember('event:uploadComplete'); // before the one of a dropsite, which carries more
    const sender = senderOf(app, dropsite.link);
    const session = { token: (await sender.session({ email: 'sender@example.org' })).access_token };
    const { body } = await sender.create({}, session);
    await sender.started({ uploadId: body.uploadId, totalSize: 11, items: 1, duration: 90 }, session);
    for (const item of body.processed) {
      await put(item);
      await sender.succeed(item, session);
    }
    await sender.complete(body.uploadId, session);
    const source = { customerId: owner.customerId, mediaContainerId: media.id, sourceMediaId: media.mediaId };
    const transcodings = app.app.get(TranscodingQueueService);
    const [job] = await transcodings.enqueue([{ ...source, formatId: 3, programs: [], isLong: false, priority: 1 }]);
    await transcodings.cancel(owner.customerId, job?.jobId ?? '');
    const empty = await uploadMedia(app, token, { content: '', fileName: 'empty.jpg', originalFileExtension: 'jpg', type: 'image' });
    await app.app.get(InspectionsService).inspect(empty.mediaId);
    for (const name of EVENT_NAMES) await remember(name);
  });

  async function remember(name: string): Promise<void> {
    const sql = `SELECT id::int, name, customer_id AS "customerId", method, payload, created_at AS "createdAt" FROM events WHERE name = $1 ORDER BY id LIMIT 1`;
    const row = await app.app.get(Database).queryOne<{ method: string; payload: Record<string, unknown> }>(sql, [name]);
    if (row && !happened.has(name)) happened.set(name, row);
  }

  it.each(EVENT_NAMES)('%s has the payload of docs/events.md', (name) => {
    const documented = JSON.parse(readSnippet('docs/events.md', `### ${name}`, 'json')) as unknown;
    expect(kindOf(happened.get(name)?.payload)).toEqual(kindOf(documented));
    expect(happened.get(name)?.method).toBe(METHODS[name]);
  });

  it.each(EVENT_NAMES)('%s is described by openapi.json, in all that it carries', (name) => {
    const headers = { 'webhook-id': 'msg_1', 'webhook-timestamp': '1763600000', 'webhook-signature': 'v1,…' };
    const event = happened.get(name);
    expect(documents.webhookDifferences({ headers, body: JSON.stringify(event) })).toEqual([]);
    const more = { ...event, payload: { ...event?.payload, secret: 1 } };
    expect(documents.webhookDifferences({ headers: {}, body: JSON.stringify(more) })).toHaveLength(4);
  });
});
