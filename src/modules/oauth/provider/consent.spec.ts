import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Authorization } from '../../access/index.js';
import { ALL_SCOPES, knownScopes } from '../scopes.js';
import { covers, type RequestedAccess } from './consent.js';

const KEY = { userId: 1, clientId: 'newsroom', device: null };
const granted = (scope: string, resources: string[] = ['https://a.example']) => ({ ...KEY, scope, resources }) as Authorization;
const requested = (scope: string, resources: string[] = ['https://a.example']): RequestedAccess => ({ ...KEY, scope, resources });

const scopes = fc.subarray(ALL_SCOPES.split(' '));
const resources = fc.subarray(['https://a.example', 'https://b.example', 'https://c.example']);

describe('a consent that was given before', () => {
  it('covers a request exactly if it contains every scope and audience of it', () => {
    fc.assert(
      fc.property(scopes, resources, scopes, resources, (hadScopes, hadResources, wantsScopes, wantsResources) => {
        const contained =
          wantsScopes.every((name) => hadScopes.includes(name) || (name === 'api:read' && hadScopes.includes('api'))) &&
          wantsResources.every((name) => hadResources.includes(name));
        expect(covers(granted(hadScopes.join(' '), hadResources), requested(wantsScopes.join(' '), wantsResources))).toBe(contained);
      }),
    );
  });

  it('covers nothing if it does not exist', () => {
    expect(covers(null, requested('', []))).toBe(false);
  });

  it('does not cover a scope of which it contains only the beginning, or only more', () => {
    expect(covers(granted('api:read'), requested('api'))).toBe(false);
    expect(covers(granted('openid'), requested('openid profile'))).toBe(false);
  });

  it('covers reading when everything was granted', () => {
    expect(covers(granted('api openid'), requested('api:read openid'))).toBe(true);
  });

  it('is not asked about scopes that do not exist', () => {
    expect(covers(granted('api'), requested('api something'))).toBe(true);
  });
});

describe('known scopes', () => {
  it('are the existing ones of a list, each once, in the order of the list', () => {
    expect(knownScopes('api something openid api  openid')).toEqual(['api', 'openid']);
    for (const name of ['', ' ', 'API', 'constructor', '__proto__', 'toString', 'api,openid', 'api\topenid'])
      expect(knownScopes(name)).toEqual([]);
  });

  it('never are anything else, whatever the list', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.constantFrom(...ALL_SCOPES.split(' ')), fc.string())), (names) => {
        const found = knownScopes(names.join(' '));
        expect(new Set(found).size).toBe(found.length);
        for (const name of found) expect(ALL_SCOPES.split(' ')).toContain(name);
      }),
    );
  });
});
