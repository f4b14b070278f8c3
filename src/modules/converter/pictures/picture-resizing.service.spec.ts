import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { SystemClock } from '../../../shared/clock.js';
import { forClient } from '../../../shared/fairness/index.js';
import { createLog } from '../../../shared/logging/index.js';
import { FakeObjectStorage } from '../../../shared/storage/fake-object-storage.js';
import type { LadderSize, PictureItem, PicturesRepository } from '../../media/index.js';
import type { OpenPicture, PictureProgramsService } from './picture-programs.service.js';
import { PictureResizingService, type WantedPicture } from './picture-resizing.service.js';

const item = (id: number, customerId: number) =>
  ({ id, customerId, mediaContainerId: id, etag: 'e', version: null }) as unknown as PictureItem;
const wanted = (width: number, height?: number): WantedPicture => ({
  size: { width, ...(height && { height }), fit: 'inside' } as WantedPicture['size'],
  formatFor: () => 'webp',
});

/** A service whose pictures are known, and are made when the test says so. */
function aService() {
  const made: string[] = [];
  const ends: (() => void)[] = [];
  let isFree = false;
  const pictures = {
    findSource: async () => ({ readable: true, width: 8_000, height: 6_000, animated: false, transparent: false }),
    claim: async () => 'claimed',
    findReady: async () => [],
    markReady: async () => true,
    release: async () => {},
  };
  const programs = {
    isAvailable: async () => true,
    open: async (opened: PictureItem, _: AbortSignal, work: (picture: OpenPicture) => Promise<unknown>) =>
      await work({ folder: String(opened.customerId) } as OpenPicture),
    resize: async ({ folder }: OpenPicture, { name }: LadderSize) => {
      made.push(`${folder} ${name}`);
      if (!isFree) await new Promise<void>((end) => ends.push(end));
      return fileURLToPath(import.meta.url);
    },
  };
  const log = createLog({ level: 'silent', service: 'test' });
  const service = new PictureResizingService(
    pictures as unknown as PicturesRepository,
    programs as unknown as PictureProgramsService,
    new FakeObjectStorage(),
    new SystemClock(),
    log,
  );
  const settle = async () => await new Promise((resolve) => setTimeout(resolve, 0));
  /** Ends what is being made, and everything later at once. */
  const endAll = () => {
    isFree = true;
    for (const end of ends) end();
  };
  return { service, made, endAll, settle };
}

describe('the sizes of pictures that a process makes', () => {
  it('are told apart by what is made, so that a thousand sizes of one picture delay no picture of another customer', async () => {
    const { service, made, endAll, settle } = aService();
    const making = Array.from({ length: 1_100 }, (_, n) => service.make(item(1, 1), wanted(1 + n, 1 + (n % 40) * 25)));
    for (const one of making) one.catch(() => {});
    await settle();
    const other = service.make(item(2, 2), wanted(640));
    await settle();
    endAll();
    expect(await other).toMatchObject({ format: 'webp', width: 640 });
    await Promise.all(making);
    expect(made.slice(0, 6)).toContainEqual(expect.stringMatching(/^2 /));
    expect(new Set(made).size).toBe(made.length);
    expect(made.length).toBeLessThan(60);
  });

  it('are left out if all clients that want them have disconnected before their turn', async () => {
    const { service, made, endAll, settle } = aService();
    const running = [service.make(item(1, 1), wanted(160)), service.make(item(1, 1), wanted(320))];
    const clients = [1, 2].map(() => Object.assign(new EventEmitter(), { closed: false, writableFinished: false }));
    const left = clients.map((client) =>
      forClient(client as unknown as ServerResponse, async () => await service.make(item(1, 1), wanted(640))),
    );
    const stayed = service.make(item(1, 1), wanted(960));
    await settle();
    for (const client of clients) client.emit('close');
    await settle();
    endAll();
    await Promise.all([...running, stayed]);
    expect(await Promise.all(left)).toEqual([null, null]);
    expect(made.map((name) => name.split(' ')[1])).toHaveLength(3);
  });
});
