import { describe, expect, it } from '@jest/globals';
import { findUnmetExpectation } from './judge-answer.js';

const answer = {
  data: { id: 3, tags: ['a', { b: null }], token: 'hidden-a', user: { name: 'Ada', password: 'hidden-b' } },
  items: [{ id: 1 }, { id: 2 }],
};

describe('the expectations of a response', () => {
  it.each([
    ['data.id', 3],
    ['items.1.id', 2],
    ['data.tags', ['a', { b: null }]],
    ['data.tags.1.b', null],
    ['data.user', { password: 'hidden-b', name: 'Ada' }],
  ])('is met: %s', (path, value) => {
    expect(findUnmetExpectation(answer, [{ path, value }])).toBeNull();
  });

  it.each([
    ['data.id', 4, 'data.id is 3, expected 4'],
    ['data.id', '3', 'data.id is 3, expected "3"'],
    ['data.tags', ['a'], 'data.tags is ["a",{"b":null}], expected ["a"]'],
    ['data.none', 1, 'data.none is absent'],
    ['data.id.toFixed', 1, 'data.id.toFixed is absent'],
    ['constructor', 1, 'constructor is absent'],
    ['items.2', {}, 'items.2 is absent'],
  ])('is not met: %s', (path, value, words) => {
    expect(findUnmetExpectation(answer, [{ path, value }])).toBe(words);
  });

  it('are reported by the first that is not met', () => {
    const expected = [
      { path: 'data.id', value: 3 },
      { path: 'items.0.id', value: 9 },
      { path: 'none', value: 1 },
    ];
    expect(findUnmetExpectation(answer, expected)).toBe('items.0.id is 1, expected 9');
    expect(findUnmetExpectation(null, expected)).toBe('data.id is absent');
  });

  it('shows no secrets', () => {
    expect(findUnmetExpectation(answer, [{ path: 'data.token', value: 'x' }])).toBe('data.token is not as expected');
    const words = findUnmetExpectation(answer, [{ path: 'data.user', value: { password: 'hidden-c' } }]);
    expect(words).toBe('data.user is {"name":"Ada","password":"[redacted]"}, expected {"password":"[redacted]"}');
  });

  it('are shortened if long', () => {
    expect(findUnmetExpectation({ a: 'x'.repeat(1_000) }, [{ path: 'a', value: 1 }])?.length).toBeLessThan(300);
  });
});
