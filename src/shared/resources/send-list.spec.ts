import { describe, expect, it } from '@jest/globals';
import type { Response } from 'express';
import fc from 'fast-check';
import { aRequest, aResponse } from '../../../test/support/accounts/exchange.js';
import { setNextLink } from './send-list.js';

const list = (count: number, first = 1) => Array.from({ length: count }, (_, index) => ({ id: first + index }));

/** The link of a page that was asked for at `url`. */
function linkOf(
  url: string,
  page: { limit?: number; cursor?: number; id?: number | null },
  elements: { id: number }[],
  body?: object,
): string | undefined {
  const request = Object.assign(aRequest({ url }), { originalUrl: url, body });
  const response = aResponse(request);
  setNextLink(Object.assign(response, { req: request }) as unknown as Response, page, elements);
  return response.getHeader('link') as string | undefined;
}

describe('the link to the next page', () => {
  it('continues after the last element of a full page, and keeps the other parameters', () => {
    expect(linkOf('/v4/apps?limit=3&a=b%20c', { limit: 3 }, list(3, 5))).toBe('</v4/apps?limit=3&a=b+c&cursor=7>; rel="next"');
    expect(linkOf('/v4/apps?limit=3&cursor=7', { limit: 3, cursor: 7 }, list(3, 8))).toBe('</v4/apps?limit=3&cursor=10>; rel="next"');
  });

  it('repeats filters that were sent in the body, which win over those of the query', () => {
    const body = { limit: 1, tag: ['a', 'b'], state: null, condition: { path: 'x.y', value: 7 } };
    const link = linkOf('/v5/list?tag=c&state=all&condition[path]=z', { limit: 1 }, list(1), body);
    const { searchParams } = new URL(/<(.*)>/.exec(link ?? '')?.[1] ?? '', 'http://localhost');
    expect([...searchParams].sort()).toEqual([
      ...[['condition[path]', 'x.y'] as const, ['condition[value]', '7'], ['cursor', '1'], ['limit', '1']],
      ...[
        ['state', 'all'],
        ['tag', 'a'],
        ['tag', 'b'],
      ],
    ]);
    expect(linkOf('/v5/list', { limit: 1 }, list(1), { junk: 'x'.repeat(20_000), type: 'video' })).toBe(
      '</v5/list?type=video&limit=1&cursor=1>; rel="next"',
    );
  });

  it('is missing without a next page', () => {
    expect(linkOf('/v4/apps', {}, list(3))).toBeUndefined();
    expect(linkOf('/v4/apps?limit=4', { limit: 4 }, list(3))).toBeUndefined();
    expect(linkOf('/v4/apps?limit=3', { limit: 3 }, [])).toBeUndefined();
  });

  it('is missing if an element was requested by id', () => {
    expect(linkOf('/v5/format?id=7&limit=1', { limit: 1, id: 7 }, list(1, 7))).toBeUndefined();
    expect(linkOf('/v5/format?limit=1', { limit: 1, id: null }, list(1, 7))).toMatch('cursor=7');
  });

  it('leads to all elements, each once', () => {
    fc.assert(
      fc.property(fc.nat(40), fc.integer({ min: 1, max: 10 }), (count, limit) => {
        const all = list(count, 1);
        const seen: number[] = [];
        for (let url: string | undefined = `/v4/apps?limit=${limit}`; url; ) {
          const cursor: number = Number(new URL(url, 'http://localhost').searchParams.get('cursor') ?? 0);
          const page = all.filter(({ id }) => id > cursor).slice(0, limit);
          seen.push(...page.map(({ id }) => id));
          url = linkOf(url, { limit, cursor }, page)?.match(/<(.*)>/)?.[1];
        }
        expect(seen).toEqual(all.map(({ id }) => id));
      }),
    );
  });
});
