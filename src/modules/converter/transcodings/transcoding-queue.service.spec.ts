import { describe, expect, it } from '@jest/globals';
import { isUUID } from 'class-validator';
import { timeOrderedId } from './transcoding-queue.service.js';

describe('a time-ordered id', () => {
  it('is a UUID of version 7 that carries its time', () => {
    const id = timeOrderedId(new Date(0x017f22e279b0));
    expect(id).toMatch(/^017f22e2-79b0-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(isUUID(id, 7)).toBe(true);
  });

  it('is larger than those of before', () => {
    const begin = Date.UTC(2030, 0, 1);
    const ids = Array.from({ length: 1_000 }, (_, index) => timeOrderedId(new Date(begin + index)));
    expect([...ids].sort()).toEqual(ids);
  });

  it('is another one each time', () => {
    const now = new Date();
    expect(new Set(Array.from({ length: 1_000 }, () => timeOrderedId(now))).size).toBe(1_000);
  });
});
