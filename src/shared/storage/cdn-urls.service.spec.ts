import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { FakeClock } from '../clock.js';
import { loadConfig } from '../config/index.js';
import { ReadyDetailsService } from '../health/ready-details.service.js';
import { createLog } from '../logging/index.js';
import { CdnUrls } from './cdn-urls.service.js';

const log = createLog({ level: 'silent', service: 'test' });
const cdnAt = (clock: FakeClock, mediaUrlTtlSeconds: number) => {
  const config = {
    ...loadConfig({}),
    mediaCdnUrl: 'https://cdn.example.org/media',
    mediaCdnSigner: 'nginx' as const,
    mediaCdnSecret: 'x',
    mediaUrlTtlSeconds,
  };
  return new CdnUrls(config, clock, new ReadyDetailsService(log));
};
const endOf = (url: string): number => Number(new URL(url).searchParams.get('expires'));

it('a URL names key and version below MEDIA_CDN_URL', () => {
  const cdn = cdnAt(new FakeClock(new Date(0)), 60);
  expect(cdn.urlOf('uploads/1/ü 100%.mp4', 'a.b')).toMatch(
    /^https:\/\/cdn\.example\.org\/media\/uploads\/1\/%C3%BC%20100%25\.mp4\?versionId=a\.b&md5=[\w-]{22}&expires=\d+$/,
  );
  expect(cdn.urlOf('a', null)).toMatch(/^https:\/\/cdn\.example\.org\/media\/a\?md5=/);
});

it('a URL lives between four fifths of its lifetime and all of it, and repeats in between', () => {
  fc.assert(
    fc.property(fc.integer({ min: 5, max: 604_800 }), fc.integer({ min: 0, max: 2_000_000_000 }), (ttl, start) => {
      const clock = new FakeClock(new Date(start * 1_000));
      const cdn = cdnAt(clock, ttl);
      const step = Math.floor(ttl / 5);
      const now = () => clock.now().getTime() / 1_000;
      const first = cdn.urlOf('a', null);
      expect(endOf(first) - now()).toBeLessThanOrEqual(ttl);
      expect(endOf(first) - now()).toBeGreaterThan(ttl - step);
      const sameFor = endOf(first) + step - ttl - now(); // seconds until the end moves on
      clock.advance(sameFor - 1);
      expect(cdn.urlOf('a', null)).toBe(first);
      clock.advance(1);
      expect(endOf(cdn.urlOf('a', null))).toBe(endOf(first) + step);
    }),
  );
});

it('without a CDN there are no URLs', () => {
  const cdn = new CdnUrls(loadConfig({}), new FakeClock(new Date(0)), new ReadyDetailsService(log));
  expect(cdn.isConfigured).toBe(false);
  expect(() => cdn.urlOf('a', null)).toThrow('There is no CDN.');
});
