import { expect, it } from '@jest/globals';
import type { Request } from 'express';
import { FakeClock } from '../../../shared/clock.js';
import type { SecretBoxService } from '../../../shared/secrets/index.js';
import type { DeliveryCountsService } from '../../statistics/index.js';
import type { OpenedLink } from '../gate/delivery-gate.service.js';
import { PlayReportsService } from './play-reports.service.js';

it('takes an animated preview picture for no film, whose length would limit what can be watched', () => {
  const played: unknown[] = [];
  const counts = { played: (play: unknown) => played.push(play) } as unknown as DeliveryCountsService;
  const secrets = { mac: () => Buffer.alloc(32), isMac: () => true } as unknown as SecretBoxService;
  const clock = new FakeClock(new Date('2026-05-01T12:00:00Z'));
  const reports = new PlayReportsService(counts, secrets, clock);
  const items = [
    { type: 'video', duration: null },
    { type: 'image', duration: 0.6 },
  ];
  const link = { id: 1, link: 'abc', customerId: 1, mediaContainerId: 1 };
  const opened = { link, configuration: { id: 1 }, items, viewer: { admittedPage: null } } as unknown as OpenedLink;
  const play = reports.issue(opened, { query: {}, headers: {}, context: { host: 'localhost' } } as unknown as Request);
  clock.advance(60);
  reports.accept('abc', { link: 'abc', play, event: 'position', position: 40, watched: 40, seen: '0'.repeat(25) });
  expect(played).toMatchObject([{ watchedSeconds: 40 }]);
});
