import { describe, expect, it } from '@jest/globals';
import { FakeObjectStorage } from '../../../shared/storage/fake-object-storage.js';
import { FakeCredentialIssuer } from './fake-credential-issuer.js';
import { latestExpiry, UploadCredentialsService } from './upload-credentials.service.js';

const items = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ key: `uploads/1/x/${index}.jpg`, type: 'image', size: 10 }));

const resources = (policy: string): string[] => JSON.parse(policy).Statement[0].Resource;

describe('credentials of a batch', () => {
  it('are one set for items of one type, under the name of the upload', async () => {
    const issuer = new FakeCredentialIssuer();
    const issued = await new UploadCredentialsService(issuer, new FakeObjectStorage()).issue(items(3), {
      uploadId: 'an-upload',
      customerId: 1,
    });
    expect(issuer.requests).toHaveLength(1);
    expect(issuer.requests[0]).toMatchObject({ ttlSeconds: 900, sessionName: expect.stringMatching(/^upload-[\w-]{43}$/) });
    expect(JSON.stringify(issuer.requests[0])).not.toContain('an-upload');
    expect(new Set(issued.values()).size).toBe(1);
  });

  it('are split in half, and again, when the packed policy is too large', async () => {
    const issuer = new FakeCredentialIssuer();
    issuer.maxKeys = 5;
    const issued = await new UploadCredentialsService(issuer, new FakeObjectStorage()).issue(items(18), {
      uploadId: 'an-upload',
      customerId: 1,
    });
    expect(issued.size).toBe(18);
    for (const [key, { SessionToken }] of issued) {
      expect(resources(SessionToken)).toContain(`arn:aws:s3:::media/${key}`);
      expect(resources(SessionToken).length).toBeLessThanOrEqual(5);
    }
  });

  it('cannot be had when not even one key fits', async () => {
    const issuer = new FakeCredentialIssuer();
    issuer.maxKeys = 0;
    await expect(
      new UploadCredentialsService(issuer, new FakeObjectStorage()).issue(items(2), { uploadId: 'an-upload', customerId: 1 }),
    ).rejects.toMatchObject({
      name: 'PolicyTooLarge',
    });
  });

  it('end when the last of them ends', () => {
    const expiring = (Expiration: string) => ({ AccessKeyId: '', SecretAccessKey: '', SessionToken: '', Expiration });
    expect(latestExpiry([expiring('2026-01-02T00:00:00Z'), expiring('2026-01-01T00:00:00Z')])).toEqual(new Date('2026-01-02T00:00:00Z'));
  });
});
