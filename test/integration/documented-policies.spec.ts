import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { allowedByAll, parsePolicy } from '../../local-storage/src/policy.js';
import { sessionPolicy } from '../../src/modules/uploads/credentials/credential-sets.js';

const BUCKET = 'arn:aws:s3:::media-example';
const OBJECT = `${BUCKET}/uploads/1/7d4ff2e9-6f0e-4a3c-9d8c-3a0f6a7c1b52/0.mp4`;
const RENDITION = `${BUCKET}/renditions/1/7/0d0c5bd4-9a3e-4a4c-8a4e-5b8ac1b6a001/1.jpg`;
const FOREIGN = `${BUCKET}/backups/database.dump`;

/** The ```json blocks of the page's section, in their order. */
function documents(): string[] {
  const page = readFileSync('docs/operations-install.md', 'utf8');
  const section = page.slice(page.indexOf('\n## Object storage\n'), page.indexOf('\n## Reverse proxy\n'));
  return [...section.matchAll(/^```json\n([\s\S]*?)^```$/gm)].map(([, text = '']) => text);
}

describe('the policies of docs/operations-install.md', () => {
  const [service = '', role = '', trust = '', cors = '', lifecycle = ''] = documents();
  const allows = (policy: string, action: string, resource: string) => allowedByAll([parsePolicy(policy)], { action, resource });

  it.each([
    ['sts:AssumeRole', 'arn:aws:iam::123456789012:role/media-uploads'],
    ['s3:GetObject', OBJECT],
    ['s3:DeleteObject', OBJECT],
    ['s3:AbortMultipartUpload', OBJECT],
    ['s3:ListMultipartUploadParts', OBJECT],
    ['s3:PutObject', RENDITION],
    ['s3:GetObject', RENDITION],
    ['s3:DeleteObject', RENDITION],
    ['s3:AbortMultipartUpload', RENDITION],
    ['s3:ListBucket', BUCKET],
    ['s3:ListBucketMultipartUploads', BUCKET],
  ])('permit the service %s', (action, resource) => {
    expect(allows(service, action, resource)).toBe(true);
    expect(allows(service, action, FOREIGN)).toBe(false);
  });

  it('permit the role everything that uploaders receive, only below uploads/', () => {
    const [handedOut] = parsePolicy(sessionPolicy('media-example', [OBJECT.slice(BUCKET.length + 1)]));
    for (const action of handedOut?.actions ?? []) {
      expect(allows(role, action, OBJECT)).toBe(true);
      expect(allows(role, action, FOREIGN)).toBe(false);
    }
    expect(parsePolicy(role).flatMap(({ actions }) => actions)).toEqual(handedOut?.actions);
  });

  it('are JSON, as are trust, CORS and lifecycle', () => {
    expect(JSON.parse(trust)).toMatchObject({ Statement: [{ Effect: 'Allow', Action: 'sts:AssumeRole' }] });
    expect(JSON.parse(cors)).toMatchObject({
      CORSRules: [{ ExposeHeaders: ['ETag'] }, { AllowedOrigins: ['*'], AllowedMethods: ['GET', 'HEAD'] }],
    });
    expect(JSON.parse(lifecycle)).toMatchObject({ Rules: [{ AbortIncompleteMultipartUpload: { DaysAfterInitiation: 7 } }] });
  });
});
