import { describe, expect, it } from '@jest/globals';
import acSignature from 'ac-signature';
import fc from 'fast-check';
import { inTurns } from '../../../shared/fairness/index.js';
import { payloadTexts, signatureMessage, signatureOf } from './signature-message.js';

const secret = 'my-very-good-accessSecret';
const rts = '1700000000';
const sign = (path: string, payload: unknown = {}, identifier?: string) =>
  signatureOf(secret, { path, json: jsonOf(payload), identifier, rts });

function run<Result>(computation: Generator<void, Result>): Result {
  for (;;) {
    const { done, value } = computation.next();
    if (done) return value;
  }
}

const jsonOf = (payload: unknown): string => run(payloadTexts({ params: {}, query: {}, body: payload }))[0] ?? '';

const payloadVariants = (parts: Parameters<typeof payloadTexts>[0]): unknown[] =>
  run(payloadTexts(parts)).map((text) => (text === '' ? {} : JSON.parse(text)));

const collator = new Intl.Collator('en');

/** The definition, as short as it can be said: every object sorted by itself, whatever it costs. */
function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([left], [right]) => collator.compare(left, right));
  return Object.fromEntries(entries.map(([key, one]) => [key, sortKeys(one)]));
}

describe('the signature of a request', () => {
  it('is the one of the published vectors', () => {
    expect(sign('/v5/customer')).toBe('d97e4b0ac9f8fec0f4ffa7bf044cb065b506f2eb3373e0735ea25efa7f880d5e');
    expect(sign('/v1/me?scope=all', {}, '123-456')).toBe('a80346a5d31cfe2429eaa8dad41494282079fcfbcd7b514c7f3c929b0bfeafaf');
    const upload = {
      payload: [{ type: 'image', fileName: 'b', originalFileExtension: 'jpg', fileSize: 600 }],
      controlGroups: [],
      tags: [],
    };
    expect(sign('/v5/s3/createUpload', upload)).toBe('6b501def8143d5740ea8dca59e4dfb4a71ceac990eefd64e36c965625e0842bd');
    const search = { Zeta: 1, alpha: 2, searchTerm: 'ä/ö', Beta: { y: 1, X: 2 } };
    expect(sign('/V5/Search', search)).toBe('3f68f81c8b29feb6e4e6fd9e27f646fa2e0af7e0db17bda8572619d8d066ba18');
  });

  it('agrees with an independent implementation on any payload', () => {
    const json = fc.object({
      key: fc.string().filter((key) => key !== '__proto__'),
      maxDepth: 3,
      values: [fc.string(), fc.integer(), fc.boolean(), fc.constant(null)],
    });
    fc.assert(
      fc.property(fc.webPath(), json, (path, payload) => {
        const { hash } = acSignature.sign5({ path: `/v5${path}`, payload, ts: Number(rts), accessKey: 'key', accessSecret: secret });
        expect(sign(`/v5${path}`, payload)).toBe(hash);
      }),
    );
  });

  it('sorts names of every script, those that collate as equal and those that are numbers, as the definition says', () => {
    const name = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 6 }),
      fc.string({ unit: fc.constantFrom('a', 'A', 'b', 'é', 'e\u0301', '_', '-', '\u0001', 'ส', 'เ'), maxLength: 4 }),
      fc.nat(20).map(String),
      fc.constantFrom('01', '4294967294', '4294967295', '__proto__'),
    );
    const leaf = fc.oneof(fc.string(), fc.double({ noNaN: true, noDefaultInfinity: true }), fc.boolean(), fc.constant(null));
    const { json } = fc.letrec((tie) => ({
      json: fc.oneof({ depthSize: 'small' }, leaf, fc.array(tie('json')), fc.dictionary(name, tie('json'), { noNullPrototype: true })),
    }));
    fc.assert(
      fc.property(fc.dictionary(name, json, { minKeys: 1, maxKeys: 40, noNullPrototype: true }), (payload) => {
        expect(jsonOf(payload)).toBe(JSON.stringify(sortKeys(payload)));
      }),
      { numRuns: 500 },
    );
  });

  it('of 50,000 names keeps no other work waiting', async () => {
    const body = Object.fromEntries(Array.from({ length: 50_000 }, (_, at) => [`เ${(at * 7_919) % 50_000}-é`, at]));
    let turns = 0;
    const others = setInterval(() => (turns += 1), 0);
    const [text] = await inTurns(payloadTexts({ params: { id: '7' }, query: { limit: '5' }, body }));
    clearInterval(others);
    expect(text).toBe(JSON.stringify(sortKeys({ limit: '5', ...body })));
    expect(turns).toBeGreaterThan(3);
  });

  it('of a number with two million digits and one letter takes linear time', () => {
    const digits = `${'1'.repeat(2_000_000)}x`; // a quadratic pattern would be looking for an hour
    expect(run(payloadTexts({ params: {}, query: { digits }, body: {} }))).toEqual([JSON.stringify({ digits })]);
  });

  it('joins path, identifier, time and payload by line feeds, and omits empty ones', () => {
    expect(signatureMessage({ path: '/V5/X?y=1', identifier: undefined, rts, json: '' })).toBe('/v5/x\n1700000000');
    expect(signatureMessage({ path: '/v5/x', identifier: 'me', rts, json: jsonOf({ b: [2, 1], a: '' }) })).toBe(
      '/v5/x\nme\n1700000000\n{"a":"","b":[2,1]}',
    );
  });
});

describe('the variants of a payload', () => {
  it('take query values as sent, with numbers cast, and with numbers and booleans cast; the body wins', () => {
    const variants = payloadVariants({ params: {}, query: { id: '7', all: 'true', name: 'x' }, body: { name: 'y' } });
    expect(variants).toEqual([
      { id: '7', all: 'true', name: 'y' },
      { id: 7, all: 'true', name: 'y' },
      { id: 7, all: true, name: 'y' },
    ]);
  });

  it('include and exclude path parameters, each variant once', () => {
    const named = (value: unknown) => [{ id: value }, { mediaContainerId: value }];
    expect(payloadVariants({ params: { id: '7' }, query: {}, body: {} })).toEqual([{}, ...named('7'), ...named(7)]);
  });

  it('take a single path parameter as id too, and several under their own names only', () => {
    const named = (params: Record<string, string>) => payloadVariants({ params, query: {}, body: {} });
    expect(named({ mediaId: '7' })).toEqual([{}, { mediaId: '7' }, { id: '7' }, { mediaId: 7 }, { id: 7 }]);
    expect(named({ idOrTemplate: 'a' })).toEqual([{}, { idOrTemplate: 'a' }, { id: 'a' }, { template: 'a' }]);
    expect(named({ id: 'a', mediaId: 'b' })).toEqual([{}, { id: 'a', mediaId: 'b' }]);
  });

  it('prefer the body over the path under each of its names', () => {
    const body = { id: 1, link: 'b' };
    for (const variant of payloadVariants({ params: { link: 'a' }, query: {}, body })) expect(variant).toEqual(body);
  });

  it('never cast the body, nor digits that a number cannot hold', () => {
    const query = { big: '12345678901234567891' };
    expect(payloadVariants({ params: {}, query, body: { id: '7' } })).toEqual([{ ...query, id: '7' }]);
  });
});
