import { describe, expect, it } from '@jest/globals';
import { findUnknownMembers, withIgnored } from './ignored-input.dto.js';

const pathsOf = (sent: unknown, taken: unknown, known: string[] = []) => findUnknownMembers(sent, taken, known).map(({ path }) => path);

describe('ignored members of an input', () => {
  it('are found at any depth, also in lists', () => {
    const sent = { name: 'a', colour: 1, settings: { list: [{ id: 1 }, { id: 2, extra: {} }], more: [] } };
    const taken = { name: 'a', settings: { list: [{ id: 1 }, { id: 2 }] } };
    expect(pathsOf(sent, taken)).toEqual(['colour', 'settings.list.1.extra', 'settings.more']);
  });

  it('do not include members that are null, cast, or of the answer', () => {
    expect(pathsOf({ a: null, limit: '7', id: 3, inner: { id: 3 } }, { limit: 7, inner: {} }, ['id'])).toEqual(['inner.id']);
  });

  it('are names of a prototype too', () => {
    expect(pathsOf(JSON.parse('{"__proto__":{"a":1},"constructor":1,"toString":1}'), {})).toEqual(['__proto__', 'constructor', 'toString']);
  });

  it('are listed up to a hundred, and absent if nothing was ignored', () => {
    const many = findUnknownMembers(Object.fromEntries(Array.from({ length: 1_000 }, (_, n) => [`m${n}`, n])), {});
    expect(withIgnored({ id: 1 }, many).ignored).toHaveLength(100);
    expect(withIgnored({ id: 1 }, [])).toEqual({ id: 1 });
    expect(withIgnored({ id: 1 }, [])).not.toHaveProperty('ignored');
  });
});
