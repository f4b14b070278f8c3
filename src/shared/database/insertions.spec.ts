import { describe, expect, it } from '@jest/globals';
import { together } from './insertions.js';

describe('insertions together', () => {
  const one = { text: 'INSERT INTO a VALUES ($1, $2, $1)', values: [1, 2] };
  const two = { text: 'INSERT INTO b VALUES ($1)', values: [3] };

  it('are one statement with consecutive parameters', () => {
    expect(together([one, two])).toEqual({
      text: 'WITH part_0 AS (INSERT INTO a VALUES ($1, $2, $1)), part_1 AS (INSERT INTO b VALUES ($3)) SELECT',
      values: [1, 2, 3],
    });
  });

  it('have the same text whenever they are the same, so that it is prepared once', () => {
    expect(together([one, two]).text).toBe(together([{ ...one, values: [7, 8] }, two]).text);
    expect(together([two, one]).text).not.toBe(together([one, two]).text);
  });
});
