import { createPublicKey, createVerify, generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { loadConfig } from '../config/index.js';
import { BunnySigner, bunnyToken, CloudFrontSigner, createCdnSigner, NginxSigner } from './cdn-signers.js';

describe('URLs for nginx', () => {
  const signer = new NginxSigner('secret');

  it('have the md5 that openssl computes as in the documentation of secure_link', () => {
    // echo -n '2147483647 127.0.0.1 /s/link secret' | openssl md5 -binary | openssl base64 | tr +/ -_ | tr -d =
    const url = signer.sign({ address: 'http://example.com/s/link', version: '127.0.0.1', expires: 2_147_483_647 });
    expect(url).toBe('http://example.com/s/link?versionId=127.0.0.1&md5=NvsxZTTOBtmKedHCaV66jQ&expires=2147483647');
  });

  it('are signed over the decoded path, and without a version', () => {
    // echo -n '2147483647  /s/ü 100% secret' | openssl md5 -binary | openssl base64 | tr +/ -_ | tr -d =
    const url = signer.sign({ address: 'http://example.com/s/%C3%BC%20100%25', version: null, expires: 2_147_483_647 });
    expect(url).toBe('http://example.com/s/%C3%BC%20100%25?md5=7_Uq8Pp6SAN4uat0vZFPvg&expires=2147483647');
  });

  it.each([
    ['a path that ends with the version', { path: '/a/1.mp4v1', version: null }],
    ['the root with a version that contains the path', { path: '/', version: '/a/1.mp4v1' }],
    ['a path that begins with the version', { path: '/v1/a/1.mp4', version: null }],
    ['a path with blanks', { path: '/%20v1%20/a/1.mp4', version: null }],
    ['an earlier expiry and a version that begins with its last digit', { path: '/a/1.mp4', version: '7v1', expires: 214_748_364 }],
    ['a version with an encoded blank', { path: '/1.mp4', version: 'v1 /a' }],
  ])(
    'have another token for %s',
    (_, { path, version, expires = 2_147_483_647 }: { path: string; version: string | null; expires?: number }) => {
      const tokenOf = (url: string) => new URL(url).searchParams.get('md5');
      const token = tokenOf(signer.sign({ address: 'http://example.com/a/1.mp4', version: 'v1', expires: 2_147_483_647 }));
      expect(tokenOf(signer.sign({ address: `http://example.com${path}`, version, expires }))).not.toBe(token);
    },
  );
});

describe('URLs for Bunny', () => {
  // From the vectors and tests of github.com/BunnyWay/BunnyCDN.TokenAuthentication.
  const published = { path: '/300kb.jpg', expires: 1_598_024_587 };

  it.each([
    ['', 'HS256-o10JRWlsAItyAsdKS6jJKjabHN4FrFsplDHPV1idcX4'],
    ['v=123', 'HS256-q6oRQr-5ccQ-piO1HSEQu1DVMy9UMppRxGlIQwoeM5Y'],
    ['token_ignore_params=true', 'HS256-1lwWBD_c1IAGSj1UKPoxreu8ePDQ-Z9FoWLcRn_RRH0'],
  ])('have the token that Bunny publishes for the query "%s"', (query, token) => {
    expect(bunnyToken('SecurityKey', { ...published, query })).toBe(token);
  });

  it('carry token, version and end', () => {
    const signer = new BunnySigner('SecurityKey');
    const address = 'https://token-tester.b-cdn.net/300kb.jpg';
    expect(signer.sign({ address, version: null, expires: published.expires })).toBe(
      `${address}?token=HS256-o10JRWlsAItyAsdKS6jJKjabHN4FrFsplDHPV1idcX4&expires=1598024587`,
    );
    const token = bunnyToken('SecurityKey', { ...published, query: 'versionId=a.b' });
    expect(signer.sign({ address, version: 'a.b', expires: published.expires })).toBe(
      `${address}?token=${token}&versionId=a.b&expires=1598024587`,
    );
  });
});

describe('URLs for CloudFront', () => {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  const isSignatureOf = (policy: object, signature: string | null) => {
    const base64 = (signature ?? '').replaceAll('-', '+').replaceAll('_', '=').replaceAll('~', '/');
    return createVerify('RSA-SHA1').update(JSON.stringify(policy)).verify(createPublicKey(privateKey), base64, 'base64');
  };

  it.each([
    [null, 'https://d111.cloudfront.net/uploads/1/%C3%BC%20100%25.mp4'],
    ['3sL4kqtJ_l.cQ', 'https://d111.cloudfront.net/uploads/1/%C3%BC%20100%25.mp4?versionId=3sL4kqtJ_l.cQ'],
  ])('carry an RSA signature over the canned policy of version %s', (version, resource) => {
    const signer = new CloudFrontSigner('K2JCJMDEHXQW5F', pem);
    const url = signer.sign({ address: 'https://d111.cloudfront.net/uploads/1/%C3%BC%20100%25.mp4', version, expires: 2_000_000_000 });
    expect(url.startsWith(resource)).toBe(true);
    const { searchParams } = new URL(url);
    expect([searchParams.get('Expires'), searchParams.get('Key-Pair-Id')]).toEqual(['2000000000', 'K2JCJMDEHXQW5F']);
    // https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/private-content-creating-signed-url-canned-policy.html
    const policy = (time: number) => ({ Statement: [{ Resource: resource, Condition: { DateLessThan: { 'AWS:EpochTime': time } } }] });
    expect(isSignatureOf(policy(2_000_000_000), searchParams.get('Signature'))).toBe(true);
    expect(isSignatureOf(policy(2_000_000_001), searchParams.get('Signature'))).toBe(false);
  });
});

it('the signer is the one of MEDIA_CDN_SIGNER, and null without a CDN', () => {
  const config = { ...loadConfig({}), mediaCdnUrl: 'https://cdn.example.org' };
  expect(createCdnSigner(loadConfig({}))).toBeNull();
  expect(createCdnSigner({ ...config, mediaCdnSigner: 'nginx' })).toBeInstanceOf(NginxSigner);
  expect(createCdnSigner({ ...config, mediaCdnSigner: 'bunny' })).toBeInstanceOf(BunnySigner);
  expect(createCdnSigner({ ...config, mediaCdnSigner: 'cloudfront' })).toBeInstanceOf(CloudFrontSigner);
});
