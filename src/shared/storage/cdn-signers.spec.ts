import { createPublicKey, createVerify, generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { loadConfig } from '../config/index.js';
import { BunnySigner, bunnyToken, CloudFrontSigner, createCdnSigner, NginxSigner } from './cdn-signers.js';

describe('URLs for nginx', () => {
  const signer = new NginxSigner('secret');

  it('have the md5 that the documentation of secure_link computes with openssl', () => {
    // echo -n '2147483647/s/link127.0.0.1 secret' | openssl md5 -binary | openssl base64 | tr +/ -_ | tr -d =
    const url = signer.sign({ address: 'http://example.com/s/link', version: '127.0.0.1', expires: 2_147_483_647 });
    expect(url).toBe('http://example.com/s/link?versionId=127.0.0.1&md5=_e4Nc3iduzkWRm01TBBNYw&expires=2147483647');
  });

  it('are signed over the decoded path, and without a version', () => {
    // echo -n '2147483647/s/ü 100% secret' | openssl md5 -binary | openssl base64 | tr +/ -_ | tr -d =
    const url = signer.sign({ address: 'http://example.com/s/%C3%BC%20100%25', version: null, expires: 2_147_483_647 });
    expect(url).toBe('http://example.com/s/%C3%BC%20100%25?md5=9oJRmVXKrr12Ipz806Lpaw&expires=2147483647');
  });
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
