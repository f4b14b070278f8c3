import { describe, expect, it } from '@jest/globals';
import { availabilityOf } from './delivery-gate.service.js';

const NOW = new Date('2030-01-01T12:00:00Z');
const [BEFORE, AFTER] = ['2030-01-01T11:59:59Z', '2030-01-01T12:00:01Z'];
const at = (time: string) => new Date(time);
const link = { flag: 0 as const, start: null, end: null };
const container = { flag: 0 as const, start: null, end: null, license: null };

describe('a link', () => {
  it('works without restrictions', () => {
    expect(availabilityOf(link, container, NOW)).toBe('available');
    expect(availabilityOf({ ...link, flag: 10 }, { ...container, flag: 33 }, NOW)).toBe('available');
    const around = { start: at(BEFORE), end: at(AFTER) };
    const license = { start: BEFORE, end: AFTER };
    expect(availabilityOf({ ...link, ...around }, { ...container, ...around, license }, NOW)).toBe('available');
    expect(availabilityOf({ ...link, start: NOW }, container, NOW)).toBe('available');
  });

  it.each([
    ['it is deleted', { ...link, flag: 1 as const }, container],
    ['its container is in the trash', link, { ...container, flag: 1 as const }],
    ['its end has come', { ...link, end: NOW }, container],
    ['the end of the container has come', link, { ...container, end: NOW }],
    ['the license has ended', link, { ...container, license: { end: BEFORE } }],
    ['it has ended before it began', { ...link, start: at(AFTER), end: at(BEFORE) }, container],
  ])('has ended when %s', (_, ended, inside) => expect(availabilityOf(ended, inside, NOW)).toBe('ended'));

  it('lasts to the end of the day in UTC if its license ends on a date', () => {
    const license = { start: '2030-01-01', end: '2030-01-01' };
    expect(availabilityOf(link, { ...container, license }, at('2030-01-01T23:59:59Z'))).toBe('available');
    expect(availabilityOf(link, { ...container, license }, at('2030-01-02T00:00:00Z'))).toBe('ended');
  });

  it.each([
    ['it', { ...link, start: at(AFTER) }, container],
    ['its container', link, { ...container, start: at(AFTER) }],
    ['its license', link, { ...container, license: { start: AFTER } }],
  ])('has not started before %s has', (_, later, inside) => expect(availabilityOf(later, inside, NOW)).toBe('not_started'));
});
