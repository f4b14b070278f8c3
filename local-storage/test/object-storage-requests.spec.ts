import { request as httpRequest } from 'node:http';
import { PutObjectCommand } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { makeTestFolder, removeTestFolder } from '../../test/support/app/test-cluster.js';
import { assumeRole, type Credentials, freshKey, s3Client } from '../../test/support/storage/object-storage-clients.js';
import { sha256Hex, signRequest } from '../src/signature/signature.js';
import { type LocalStorage, startLocalStorage } from '../src/start-local-storage.js';
import { codeOf, EMPTY, stageObjectStorage } from './object-storage-stage.js';

const stage = stageObjectStorage();

describe('A browser', () => {
  it('may send anything from any page', async () => {
    const headers = {
      origin: 'https://page.example',
      'access-control-request-method': 'PUT',
      'access-control-request-headers': 'authorization,x-amz-date',
    };
    const preflight = await fetch(stage.urlOf('/any'), { method: 'OPTIONS', headers });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('access-control-allow-origin')).toBe('*');
    expect(preflight.headers.get('access-control-allow-methods')).toContain('PUT');
    expect(preflight.headers.get('access-control-allow-headers')).toContain('authorization');
    expect(Number(preflight.headers.get('access-control-max-age'))).toBeGreaterThan(0);
  });

  it('sees the ETag, and errors too', async () => {
    const put = await stage.send('PUT', `/${freshKey()}`, { body: 'x' });
    expect(put.headers.get('access-control-expose-headers')).toContain('ETag');
    expect((await fetch(stage.urlOf('/any'))).headers.get('access-control-allow-origin')).toBe('*');
  });
});

describe('A request', () => {
  it('without a signature is refused', async () => {
    const response = await fetch(stage.urlOf('/any'));
    expect([response.status, codeOf(await response.text())]).toEqual([403, 'AccessDenied']);
  });

  it.each([
    ['a wrong secret', () => ({ ...stage.storage.key, secretAccessKey: 'wrong' }), 403, 'SignatureDoesNotMatch'],
    ['an unknown key', () => ({ ...stage.storage.key, accessKeyId: 'AKIAUNKNOWN' }), 403, 'InvalidAccessKeyId'],
  ])('with %s is refused', async (_name, key, status, code) => {
    const answer = await stage.send('GET', '/any', { key: key() });
    expect([answer.status, codeOf(answer.text)]).toEqual([status, code]);
  });

  it('of another time is refused, one within a quarter of an hour is not', async () => {
    stage.offsetMs = 16 * 60_000;
    expect(codeOf((await stage.send('GET', '/any')).text)).toBe('RequestTimeTooSkewed');
    stage.offsetMs = -14 * 60_000;
    expect(codeOf((await stage.send('GET', '/any')).text)).toBe('NoSuchKey');
  });

  it('with a header that is not signed is refused', async () => {
    const url = stage.urlOf(`/${freshKey()}`);
    const request = { method: 'PUT', url, headers: { 'x-amz-content-sha256': EMPTY }, payload: EMPTY };
    const { host: _, ...signed } = signRequest(request, {
      key: stage.storage.key,
      region: stage.storage.region,
      service: 's3',
      at: new Date(),
    });
    const response = await fetch(url, { method: 'PUT', headers: { ...signed, 'x-amz-meta-owner': 'somebody' } });
    expect([response.status, codeOf(await response.text())]).toEqual([403, 'AccessDenied']);
  });

  it('whose body is not the signed one is refused', async () => {
    const answer = await stage.send('PUT', `/${freshKey()}`, { body: 'other', payload: sha256Hex('signed') });
    expect([answer.status, codeOf(answer.text)]).toEqual([400, 'XAmzContentSHA256Mismatch']);
  });

  it.each(['?acl', '?tagging', '?policy', '?notification', '?lifecycle'])('for %s is answered 501', async (target) => {
    const answer = await stage.send('GET', `/${target}`);
    expect([answer.status, codeOf(answer.text)]).toEqual([501, 'NotImplemented']);
  });

  it.each(['x-amz-tagging', 'x-amz-server-side-encryption', 'x-amz-object-lock-mode'])('with %s is answered 501', async (name) => {
    const answer = await stage.send('PUT', `/${freshKey()}`, { body: 'x', headers: { [name]: 'AES256' } });
    expect([answer.status, codeOf(answer.text)]).toEqual([501, 'NotImplemented']);
  });

  it('asks before it sends a body that would be refused', async () => {
    const ask = async (key: Credentials) => {
      const url = stage.urlOf(`/${freshKey()}`);
      const request = { method: 'PUT', url, headers: { 'x-amz-content-sha256': sha256Hex('body') }, payload: sha256Hex('body') };
      const headers = signRequest(request, { key, region: stage.storage.region, service: 's3', at: new Date() });
      const outgoing = httpRequest(url, { method: 'PUT', headers: { ...headers, expect: '100-continue', 'content-length': 4 } });
      let wasAsked = false;
      outgoing.on('continue', () => {
        wasAsked = true;
        outgoing.end('body');
      });
      outgoing.flushHeaders();
      const status = await new Promise((resolve) => outgoing.on('response', (response) => resolve(response.resume().statusCode)));
      outgoing.destroy();
      return [wasAsked, status];
    };
    expect(await ask(stage.storage.key)).toEqual([true, 200]);
    expect(await ask({ ...stage.storage.key, secretAccessKey: 'wrong' })).toEqual([false, 403]);
  });
});

describe('A presigned address', () => {
  it('returns the content type and name that it contains', async () => {
    const key = freshKey();
    await stage.client.send(new PutObjectCommand({ ...stage.at(key), Body: 'hello', ContentType: 'text/plain' }));
    const disposition = 'attachment; filename="a b+ü.txt"';
    const response = await fetch(stage.presign(key, { 'response-content-type': 'image/x', 'response-content-disposition': disposition }));
    expect([response.status, await response.text(), response.headers.get('content-type')]).toEqual([200, 'hello', 'image/x']);
    expect(response.headers.get('content-disposition')).toContain('attachment');
  });

  it('is valid until its expiry, and only unchanged', async () => {
    const key = freshKey();
    await stage.client.send(new PutObjectCommand({ ...stage.at(key), Body: 'x' }));
    stage.stopClock();
    const url = stage.presign(key);
    expect((await fetch(String(url).replace('Expires=60', 'Expires=61'))).status).toBe(403);
    stage.offsetMs = 61_000;
    expect((await fetch(url)).status).toBe(403);
    stage.offsetMs = 59_000;
    expect((await fetch(url)).status).toBe(200);
  });

  it('of a session ends with the session', async () => {
    const key = freshKey();
    await stage.client.send(new PutObjectCommand({ ...stage.at(key), Body: 'x' }));
    const session = await assumeRole(stage.storage);
    const url = stage.presign(key, { 'X-Amz-Expires': '86400' }, session);
    expect((await fetch(url)).status).toBe(200);
    stage.offsetMs = 901_000;
    const response = await fetch(url);
    expect([response.status, codeOf(await response.text())]).toEqual([400, 'ExpiredToken']);
  });
});

describe('A CDN', () => {
  const SECRET = 'the-secret-of-the-origin';
  let folder: string;
  let storage: LocalStorage;
  const key = 'uploads/1/ü 100%.mp4';
  const versions: string[] = [];

  beforeAll(async () => {
    folder = makeTestFolder();
    storage = await startLocalStorage({ dataDirectory: folder, port: 0, durable: false, originSecret: SECRET });
    const client = s3Client({ ...storage, stop: storage.close }, storage.key);
    for (const Body of ['first version', 'second version']) {
      const { VersionId = '' } = await client.send(
        new PutObjectCommand({ Bucket: storage.bucket, Key: key, Body, ContentType: 'video/mp4' }),
      );
      versions.push(VersionId);
    }
    client.destroy();
  });
  afterAll(async () => {
    await storage.close();
    await removeTestFolder(folder);
  });

  const at = (query = '', path = `/${key.split('/').map(encodeURIComponent).join('/')}`) =>
    `${storage.endpoint}/${storage.bucket}${path}${query}`;
  const get = async (url: string, headers: Record<string, string> = { referer: SECRET }, method = 'GET') => {
    const answer = await fetch(url, { method, headers });
    return { status: answer.status, headers: answer.headers, text: await answer.text() };
  };

  it('reads objects, versions and ranges with its Referer, without a signature', async () => {
    const current = await get(at());
    expect([current.status, current.text, current.headers.get('content-type')]).toEqual([200, 'second version', 'video/mp4']);
    expect((await get(at(`?versionId=${versions[0]}`))).text).toBe('first version');
    const range = await get(at(`?versionId=${versions[0]}`), { referer: SECRET, range: 'bytes=6-12' });
    expect([range.status, range.text, range.headers.get('content-range')]).toEqual([206, 'version', 'bytes 6-12/13']);
    const head = await get(at(), undefined, 'HEAD');
    expect([head.status, head.headers.get('content-length')]).toEqual([200, '14']);
  });

  it.each([
    {},
    { referer: '' },
    { referer: 'another' },
    { referer: `${SECRET}/` },
    { referer: SECRET, authorization: 'AWS4-HMAC-SHA256 x' },
  ])('with the headers %j reads nothing', async (headers) => {
    expect((await get(at(), headers as Record<string, string>)).status).toBeGreaterThanOrEqual(400);
  });

  it('can do nothing else', async () => {
    for (const [method, url] of [
      ['PUT', at()],
      ['DELETE', at()],
      ['POST', at('?delete', '')],
      ['GET', at('', '')],
      ['GET', at('?versions', '')],
      ['GET', `${storage.endpoint}/`],
    ] as const) {
      expect([method, url, (await get(url, undefined, method)).status]).toEqual([method, url, 403]);
    }
    expect(codeOf((await get(at('?response-content-type=text/html'))).text)).toBe('InvalidRequest');
    expect([(await get(at('', '/missing'))).status, (await get(at())).text]).toEqual([403, 'second version']); // whether a key exists is not told
  });
});
