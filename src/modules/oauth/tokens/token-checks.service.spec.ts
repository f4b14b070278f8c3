import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ALL_SCOPES } from '../scopes.js';
import { checkResource, narrowScope } from './token-checks.service.js';

const refusal = (run: () => unknown): unknown => {
  try {
    run();
    return null;
  } catch (error) {
    return (error as { error?: string }).error;
  }
};

describe('the scope of a token request', () => {
  it('may only narrow the granted scope', () => {
    const scopes = fc.subarray(ALL_SCOPES.split(' '));
    fc.assert(
      fc.property(scopes, scopes, (granted, requested) => {
        const run = () => narrowScope(requested.join(' '), granted.join(' '));
        const isGranted = (name: string) => granted.includes(name) || (name === 'api:read' && granted.includes('api'));
        if (requested.every(isGranted)) expect(run()).toBe(requested.join(' '));
        else expect(refusal(run)).toBe('invalid_scope');
      }),
    );
  });

  it('is the granted scope if absent', () => {
    expect(narrowScope(undefined, 'api')).toBeNull();
  });

  it.each(['api openid', 'api%20openid', 'api+openid'])('may be written as "%s"', (requested) => {
    expect(narrowScope(requested, 'api openid')).toBe('api openid');
  });

  it('is not widened by scopes that do not exist', () => {
    expect(refusal(() => narrowScope('api something', 'api'))).toBe('invalid_scope');
  });
});

describe('the resource of a token request', () => {
  it.each<[unknown, string | string[] | undefined, string | null]>([
    ['https://a', undefined, null],
    ['https://a', [], null],
    ['https://a', 'https://a', null],
    [['https://a', 'https://b'], 'https://b', null],
    [['https://a', 'https://b'], ['https://b'], null],
    ['https://a', 'https://b', 'invalid_target'],
    [['https://a', 'https://b'], ['https://a', 'https://b'], 'invalid_target'],
    [undefined, 'https://a', 'invalid_target'],
    ['https://a/b', 'https://a', 'invalid_target'],
  ])('with the granted resources %j: %j → %s', (granted, requested, expected) => {
    expect(refusal(() => checkResource(requested, granted))).toBe(expected);
  });
});
