import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { fillUrl } from '../placeholders.js';
import { apiPath } from './api-instruction.service.js';

describe('the address of an api instruction', () => {
  it.each([
    ['v5/format', 'v5/format', ''],
    ['/v5/format/7', 'v5/format/7', ''],
    ['v5/format/', 'v5/format/', ''],
    ['v5/mediacontainer?limit=2&cursor=9', 'v5/mediacontainer', '?limit=2&cursor=9'],
    ['v5/subscriptions?condition[path]=payload.x', 'v5/subscriptions', '?condition[path]=payload.x'],
    ['v5/x/a%2Fb%20c', 'v5/x/a%2Fb%20c', ''],
    ['v5/x/a..b', 'v5/x/a..b', ''],
  ])('may be %s', (filled, path, query) => {
    expect(apiPath(filled)).toEqual({ path, query });
  });

  it.each([
    '',
    'v5',
    'v5/',
    'v4/apps',
    'V5/format',
    'metrics',
    '//evil.example/v5/format',
    'v5//format',
    'v5/../metrics',
    'v5/./format',
    'v5/%2e%2e/metrics',
    'v5/.%2E/metrics',
    'v5/..',
    'v5/x\\..\\..\\metrics',
    'https://evil.example/v5/format',
    'v5/format#x',
    'v5/for mat',
    'v5/for\tmat',
    'v5/format\n',
    'v5/%zz',
    'v5/ü',
    'v5/format?a=b c',
    '@evil.example/v5/format',
    ' v5/format',
  ])('is refused: %j', (filled) => {
    expect(apiPath(filled)).toBeNull();
  });

  it('never leaves /v5/, with any value of a placeholder', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('..', '.', '/', '\\', '%2e%2e', '//')), (value) => {
        const address = apiPath(fillUrl('v5/mediacontainer/:value/releaseRequest?a=:value', { value }));
        if (address) expect(new URL(`/${address.path}${address.query}`, 'http://h').pathname).toBe(`/${address.path}`);
        expect(address?.path.split('/').length ?? 4).toBe(4);
      }),
    );
  });
});
