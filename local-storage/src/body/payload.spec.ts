import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type Scope, scopeText, signingKey } from '../signature/signature.js';
import { makeDigest } from './checksum.js';
import { type ChunkRules, decodeChunks } from './payload.js';

// The examples of https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-streaming.html and sigv4-streaming-trailers.html
const scope: Scope = { date: '20130524', region: 'us-east-1', service: 's3' };
const key = signingKey('wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY', scope);
const signerFrom = (seed: string) => ({ key, time: '20130524T000000Z', scope: scopeText(scope), seed });
const plainSigner = signerFrom('4f232c4386841ef735655705268965c44a0e4690baa4adea153f7db9fa80a0a9');
const DATA = Buffer.alloc(66_560, 'a');
const PLAIN = [
  '10000;chunk-signature=ad80c730a21e5b8d04586a2213dd63b9a0e99e0e2307b0ade35a65485a288648',
  DATA.toString('latin1', 0, 65_536),
  '400;chunk-signature=0055627c9e194cb4542bae2aa5492e3c1575bbb81b612b7d234b86a503ef5497',
  DATA.toString('latin1', 65_536),
  '0;chunk-signature=b6c6ea8a5354eaf15b3cb7646744f4275b71ea724fed81ceb9323e279d449df9',
  '',
  '',
].join('\r\n');
const TRAILING = [
  '10000;chunk-signature=b474d8862b1487a5145d686f57f013e54db672cee1c953b3010fb58501ef5aa2',
  DATA.toString('latin1', 0, 65_536),
  '400;chunk-signature=1c1344b170168f8e65b41376b44b20fe354e373826ccbbe2c1d40a8cae51e5c7',
  DATA.toString('latin1', 65_536),
  '0;chunk-signature=2ca2aba2005185cf7159c6277faf83795951dd77a3a99e6e65d5c9f85863f992',
  'x-amz-checksum-crc32c:sOO8/Q==',
  'x-amz-trailer-signature:d81f82fc3505edab99d459891051a732e8730629a2e4a59689829ca17fe2e435',
  '',
  '',
].join('\r\n');

async function* pieces(text: string, size = 50_000): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(text, 'latin1');
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size);
}

async function decode(source: AsyncIterable<Buffer>, rules: ChunkRules): Promise<{ data: Buffer; trailers: Map<string, string> }> {
  const data: Buffer[] = [];
  const decoder = decodeChunks(source, rules);
  let step = await decoder.next();
  for (; !step.done; step = await decoder.next()) data.push(step.value);
  return { data: Buffer.concat(data), trailers: step.value };
}

const signed: ChunkRules = { signer: plainSigner, trailer: false };
const trailing: ChunkRules = { signer: signerFrom('106e2a8a18243abcf37539882f36619c00e2dfc72633413f02d3b74544bfeb8e'), trailer: true };
const unsigned: ChunkRules = { signer: null, trailer: true };

describe('An aws-chunked body', () => {
  it("gives AWS's example back", async () => {
    expect((await decode(pieces(PLAIN), signed)).data.equals(DATA)).toBe(true);
  });

  it("gives AWS's example with a trailing checksum back", async () => {
    const { data, trailers } = await decode(pieces(TRAILING), trailing);
    expect(data.equals(DATA)).toBe(true);
    const sum = makeDigest('CRC32C');
    sum.update(data);
    expect(trailers.get('x-amz-checksum-crc32c')).toBe(sum.digest().toString('base64'));
  });

  it.each([
    ['changed data', PLAIN.replace('aaa', 'aab'), signed],
    ['a changed size', PLAIN.replace('400;', '3ff;'), signed],
    [
      'chunks in another order',
      PLAIN.split('\r\n')
        .toSpliced(0, 4, ...PLAIN.split('\r\n').slice(2, 4), ...PLAIN.split('\r\n').slice(0, 2))
        .join('\r\n'),
      signed,
    ],
    ['a missing chunk', PLAIN.split('\r\n').toSpliced(2, 2).join('\r\n'), signed],
    ['no signature', PLAIN.replace(/;chunk-signature=\w+/, ''), signed],
    ['another checksum', TRAILING.replace('sOO8', 'sOO9'), trailing],
    ['no signature of the trailer', TRAILING.replace(/x-amz-trailer-signature.*\r\n/, ''), trailing],
    ['an end too early', PLAIN.slice(0, 60_000), signed],
    ['no last chunk', PLAIN.slice(0, PLAIN.indexOf('0;chunk-signature=b6c6')), signed],
    ['more behind its end', `${PLAIN}more`, signed],
    ['a size that is none', PLAIN.replace('10000;', 'zz;'), signed],
    ['an endless line', 'f'.repeat(5_000), unsigned],
  ])('is refused with %s', async (_name, text, rules) => {
    await expect(decode(pieces(text), rules)).rejects.toMatchObject({ name: 'StorageError' });
  });

  it('comes out the same however it was cut', async () => {
    const chunks = fc.array(fc.uint8Array({ minLength: 1, maxLength: 200 }), { maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(chunks, fc.integer({ min: 1, max: 60 }), async (parts, size) => {
        const frames = parts.map((part) => `${part.length.toString(16)}\r\n${Buffer.from(part).toString('latin1')}\r\n`);
        const text = `${frames.join('')}0\r\nx-amz-checksum-crc32:AAAAAA==\r\n\r\n`;
        const { data, trailers } = await decode(pieces(text, size), unsigned);
        expect(data.equals(Buffer.concat(parts))).toBe(true);
        expect([...trailers]).toEqual([['x-amz-checksum-crc32', 'AAAAAA==']]);
      }),
    );
  });
});
