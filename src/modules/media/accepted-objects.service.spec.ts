import { describe, expect, it } from '@jest/globals';
import { FakeClock } from '../../shared/clock.js';
import { loadConfig } from '../../shared/config/index.js';
import { ReadyDetailsService } from '../../shared/health/ready-details.service.js';
import { createLog } from '../../shared/logging/index.js';
import { FakeObjectStorage } from '../../shared/storage/fake-object-storage.js';
import { CdnUrls } from '../../shared/storage/index.js';
import { AcceptedObjectsService, isInertAs } from './accepted-objects.service.js';

const details = new ReadyDetailsService(createLog({ level: 'silent', service: 'test' }));
const cdnConfig = { mediaCdnUrl: 'https://cdn.example.org', mediaCdnSigner: 'nginx', mediaCdnSecret: 'secret' } as const;

function stage(config: Partial<typeof cdnConfig> = cdnConfig) {
  const [storage, clock] = [new FakeObjectStorage(), new FakeClock(new Date())];
  const cdn = new CdnUrls({ ...loadConfig({}), ...config }, clock, details);
  return { storage, objects: new AcceptedObjectsService(storage, cdn, clock) };
}

const options = { disposition: 'inline', fileName: 'film', expiresInSeconds: 60, contentType: 'video/mp4' } as const;
const rendition = { s3Key: 'renditions/1/2/3.mp4', version: 'v', etag: null };
const upload = { s3Key: 'uploads/1/a/0.mp4', version: 'v', etag: null };
const CDN = /^https:\/\/cdn\.example\.org\//;
const STORAGE = /^http:\/\/storage\.invalid\//;

describe('The URL of an object', () => {
  it('leads to the storage without a CDN', async () => {
    expect(await stage({}).objects.signedUrl(rendition, options)).toMatch(STORAGE);
  });

  it('leads to the CDN for renditions, with a version or without', async () => {
    const { objects } = stage();
    expect(await objects.signedUrl(rendition, options)).toMatch(CDN);
    expect(await objects.signedUrl({ ...rendition, version: null }, options)).toMatch(CDN);
  });

  it('leads to the storage for downloads and for documents with scripts, uploaded or made', async () => {
    const { objects } = stage();
    expect(await objects.signedUrl(rendition, { ...options, disposition: 'attachment' })).toMatch(STORAGE);
    for (const contentType of ['image/svg+xml', 'application/xml', 'text/html']) {
      expect(await objects.signedUrl(rendition, { ...options, contentType })).toMatch(STORAGE);
    }
  });

  it('leads to the CDN for an upload that was stored with its media type or without one', async () => {
    for (const type of ['video/mp4', 'video/x-m4v; codecs="avc1"', 'application/octet-stream', undefined]) {
      const { storage, objects } = stage();
      storage.put(upload.s3Key, { size: 1 });
      if (type) storage.contentTypes.set(upload.s3Key, type);
      expect(await objects.signedUrl(upload, options)).toMatch(CDN);
    }
  });

  it('leads to the storage for an upload that may be replaced, or that claims to be another thing', async () => {
    const { storage, objects } = stage();
    storage.put(upload.s3Key, { size: 1 });
    expect(await objects.signedUrl({ ...upload, version: null }, options)).toMatch(STORAGE);
    storage.contentTypes.set(upload.s3Key, 'text/html');
    expect(await objects.signedUrl(upload, options)).toMatch(STORAGE);
  });

  it('leads to the storage while the headers of an upload are not known', async () => {
    const { storage, objects } = stage();
    storage.put(upload.s3Key, { size: 1 });
    storage.available = false;
    expect(await objects.signedUrl(upload, options)).toMatch(STORAGE);
    storage.available = true;
    expect(await objects.signedUrl(upload, options)).toMatch(CDN);
  });
});

describe('Stored headers', () => {
  const headers = { contentType: null, contentDisposition: null, contentEncoding: null };

  it.each([
    ['image/png', 'image/png'],
    ['image/png', 'IMAGE/PNG; a=b'],
    ['image/jpeg', 'image/jpg'],
    ['audio/mpeg', 'audio/mp3'],
    ['application/pdf', 'application/pdf'],
    ['application/pdf', 'binary/octet-stream'],
  ])('of an expected %s are inert with the type %s', (expected, contentType) => {
    expect(isInertAs(expected, { ...headers, contentType })).toBe(true);
  });

  it.each([
    ['image/png', 'text/html'],
    ['image/png', 'image/svg+xml'],
    ['image/png', 'image/png, text/html'],
    ['image/png', 'image/png;,text/html'],
    ['image/png', 'video/mp4'],
    ['application/pdf', 'application/xhtml+xml'],
    ['text/plain', 'text/javascript'],
  ])('of an expected %s are not inert with the type %s', (expected, contentType) => {
    expect(isInertAs(expected, { ...headers, contentType })).toBe(false);
  });

  it('are not inert with a name for downloads or a coding of the uploader', () => {
    expect(isInertAs('image/png', { ...headers, contentDisposition: 'attachment; filename="a.exe"' })).toBe(false);
    expect(isInertAs('image/png', { ...headers, contentEncoding: 'gzip' })).toBe(false);
  });
});
