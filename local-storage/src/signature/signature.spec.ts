import { describe, expect, it } from '@jest/globals';
import type { Incoming } from '../http/messages.js';
import { checkSignature, readClaim, sha256Hex } from './signature.js';

// The examples of https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html and sigv4-query-string-auth.html
const SECRET = 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY';
const HOST = 'examplebucket.s3.amazonaws.com';
const EMPTY = sha256Hex('');

const published: Record<string, { request: Partial<Incoming>; headers: Record<string, string>; signature: string }> = {
  'an object with a range': {
    request: { path: '/test.txt' },
    headers: { range: 'bytes=0-9', 'x-amz-content-sha256': EMPTY },
    signature: 'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
  },
  'a new object': {
    request: { method: 'PUT', path: '/test$file.text' },
    headers: {
      date: 'Fri, 24 May 2013 00:00:00 GMT',
      'x-amz-storage-class': 'REDUCED_REDUNDANCY',
      'x-amz-content-sha256': '44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072',
    },
    signature: '98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd',
  },
  'a query without a value': {
    request: { path: '/', query: [['lifecycle', '']] },
    headers: { 'x-amz-content-sha256': EMPTY },
    signature: 'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543',
  },
  'a listing': {
    request: {
      path: '/',
      query: [
        ['prefix', 'J'],
        ['max-keys', '2'],
      ],
    },
    headers: { 'x-amz-content-sha256': EMPTY },
    signature: '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7',
  },
};

function signed({ request, headers, signature }: (typeof published)[string]): Incoming {
  const all: Record<string, string> = { ...headers, host: HOST, 'x-amz-date': '20130524T000000Z' };
  const names = Object.keys(all).sort().join(';');
  const authorization = `AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,SignedHeaders=${names},Signature=${signature}`;
  return { method: 'GET', query: [], ...request, headers: new Map(Object.entries({ ...all, authorization })) } as unknown as Incoming;
}

describe('A signature', () => {
  it.each(Object.entries(published))('is that of AWS for %s', (_name, example) => {
    const incoming = signed(example);
    const claim = readClaim(incoming);
    expect(checkSignature(incoming, claim, SECRET, claim.payload ?? '').seed).toBe(example.signature);
  });

  it('is that of AWS for a presigned address', () => {
    const signature = 'aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404';
    const query: [string, string][] = [
      ['X-Amz-Algorithm', 'AWS4-HMAC-SHA256'],
      ['X-Amz-Credential', 'AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request'],
      ['X-Amz-Date', '20130524T000000Z'],
      ['X-Amz-Expires', '86400'],
      ['X-Amz-SignedHeaders', 'host'],
      ['X-Amz-Signature', signature],
    ];
    const incoming = { method: 'GET', path: '/test.txt', query, headers: new Map([['host', HOST]]) } as unknown as Incoming;
    expect(checkSignature(incoming, readClaim(incoming), SECRET, 'UNSIGNED-PAYLOAD').seed).toBe(signature);
  });

  it.each(['method', 'path', 'query', 'header'])('covers the %s', (changed) => {
    const incoming = signed(published['an object with a range'] as (typeof published)[string]);
    const claim = readClaim(incoming);
    const other: Record<string, Partial<Incoming>> = {
      method: { method: 'PUT' },
      path: { path: '/test.tx' },
      query: { query: [['versionId', '1']] },
      header: { headers: new Map([...incoming.headers, ['range', 'bytes=0-8']]) },
    };
    const check = () => checkSignature({ ...incoming, ...other[changed] }, claim, SECRET, claim.payload ?? '');
    expect(check).toThrow(expect.objectContaining({ code: 'SignatureDoesNotMatch', status: 403 }));
  });
});
