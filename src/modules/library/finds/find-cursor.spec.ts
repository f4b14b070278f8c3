import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { decodeCursor, encodeCursor, FIND_ORDERS, FIND_SORTS, type FindPosition } from './find-cursor.js';

const POSITION: FindPosition = { id: 7, key: '1763900000000', part: 'all' };
const ORDERING = { sort: 'createdAt', order: 'desc' } as const;
const encode = (...members: unknown[]) => Buffer.from(JSON.stringify(members)).toString('base64url');

describe('a cursor of a find', () => {
  it('leads back to its position', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...FIND_SORTS),
        fc.constantFrom(...FIND_ORDERS),
        fc.integer({ min: 1, max: 2_147_483_647 }),
        (sort, order, id) => {
          const position = { ...POSITION, id, key: sort === 'name' ? 'c3a9' : '-1' };
          expect(decodeCursor(encodeCursor({ sort, order }, position), { sort, order })).toEqual(position);
        },
      ),
    );
  });

  it('of version 1.1.0 leads to its position, too', () => {
    const cursor = encode('createdAt', 'desc', 7, '1763900000000', 'all', '100:110:101,105');
    expect(decodeCursor(cursor, ORDERING)).toEqual(POSITION);
  });

  it('is refused with another order', () => {
    expect(() => decodeCursor(encodeCursor(ORDERING, POSITION), { sort: 'name', order: 'desc' })).toThrow();
  });

  it.each([
    ['no text of a cursor', 'abc'],
    ['no list', Buffer.from('{}').toString('base64url')],
    ['another sort', encode('size', 'desc', 7, '1', 'all')],
    ['no id', encode('createdAt', 'desc', 1.5, '1', 'all')],
    ['a key of another kind', encode('createdAt', 'desc', 7, 'c3a9', 'all')],
    ['a key that is no text', encode('createdAt', 'desc', 7, 1, 'all')],
    ['another part', encode('createdAt', 'desc', 7, '1', 'none')],
    ['the part of moved containers, which version 1.1.0 had', encode('createdAt', 'desc', 7, '1', 'moved', '1:1:')],
  ])('is refused with %s', (_, cursor) => {
    expect(() => decodeCursor(cursor, ORDERING)).toThrow();
  });
});
