import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { decodeCursor, encodeCursor, FIND_ORDERS, FIND_SORTS, type FindCursor } from './find-cursor.js';

const POSITION: FindCursor = { id: 7, key: '1763900000000', part: 'all', snapshot: '100:110:101,105' };
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

  it('is refused with another order', () => {
    expect(() => decodeCursor(encodeCursor(ORDERING, POSITION), { sort: 'name', order: 'desc' })).toThrow();
  });

  it.each([
    ['no text of a cursor', 'abc'],
    ['no list', Buffer.from('{}').toString('base64url')],
    ['another sort', encode('size', 'desc', 7, '1', 'all', '1:1:')],
    ['no id', encode('createdAt', 'desc', 1.5, '1', 'all', '1:1:')],
    ['a key of another kind', encode('createdAt', 'desc', 7, 'c3a9', 'all', '1:1:')],
    ['a key that is no text', encode('createdAt', 'desc', 7, 1, 'all', '1:1:')],
    ['another part', encode('createdAt', 'desc', 7, '1', 'none', '1:1:')],
    ['no snapshot', encode('createdAt', 'desc', 7, '1', 'all')],
    ['a snapshot that ends before it begins', encode('createdAt', 'desc', 7, '1', 'all', '9:5:')],
    ['a snapshot whose transactions are not in order', encode('createdAt', 'desc', 7, '1', 'all', '1:9:5,3')],
    ['a snapshot with a later transaction', encode('createdAt', 'desc', 7, '1', 'all', '1:9:9')],
  ])('is refused with %s', (_, cursor) => {
    expect(() => decodeCursor(cursor, ORDERING)).toThrow();
  });
});
