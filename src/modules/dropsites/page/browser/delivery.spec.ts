import { beforeEach, describe, expect, it } from '@jest/globals';
import { ProblemError, ServerClock, type StorageClient, StorageError } from '@media-delivery/sdk/uploader';
import { UploadWorld } from '../../../../../test/support/browser/upload-world.js';
import { toUploadFile } from './choice.js';
import { type Checksums, Delivery, SpeedMeter } from './delivery.js';
import { ResumeStore } from './resume-store.js';
import type { ServiceClient } from './service-client.js';

let world: UploadWorld;
beforeEach(() => {
  world = new UploadWorld({ ProblemError, StorageError });
});

const checksums = { add: () => {}, skip: () => {}, pending: 0 } as unknown as Checksums;

function deliver(options: { sender?: { email: string; firstname: string; lastname: string } | null } = {}) {
  const surroundings = {
    service: world.service as unknown as ServiceClient,
    storage: world.storage as unknown as StorageClient,
    clock: new ServerClock(() => world.now),
    store: new ResumeStore('link', null),
    checksums,
    onChange: () => {},
  };
  return new Delivery(surroundings, { sender: options.sender ?? null, password: '' });
}

const aFile = (name: string, size: number) => toUploadFile({ path: name, file: new File([new Uint8Array(size)], name) });

describe('a session', () => {
  const sender = { email: '', firstname: 'Grace', lastname: '' };

  it('that has ended is replaced by a new one for the same sender', async () => {
    const ended = () => new ProblemError({ status: 401, code: 'unauthenticated', detail: 'Sign in.' });
    world.fail('itemSuccess', ended(), ended());
    const delivery = deliver({ sender });
    await delivery.start([], [aFile('a.txt', 1), aFile('b.txt', 1)]);
    expect(delivery.phase).toBe('delivered');
    const opened = world.calls.filter(([name]) => name === 'open').map(([, who]) => (who as { sender: { email: string } }).sender.email);
    expect(opened[0]).toBe('');
    expect(new Set(opened.slice(1))).toEqual(new Set(['made-up@example.org']));
  });

  it('that is refused is not requested endlessly', async () => {
    world.fail(
      'createUpload',
      ...Array.from({ length: 9 }, () => new ProblemError({ status: 401, code: 'unauthenticated', detail: 'Sign in.' })),
    );
    const delivery = deliver({ sender });
    await delivery.start([], [aFile('a.txt', 1)]);
    expect(delivery.phase).toBe('stopped');
  });
});

describe('the speed meter', () => {
  it('returns nothing before the first measurement', () => {
    const meter = new SpeedMeter();
    expect(meter.speed).toBeNull();
    meter.add(0, 0);
    meter.add(1_000, 500_000);
    expect(meter.speed).toBeNull();
    expect(meter.secondsFor(1)).toBeNull();
  });

  it('measures the last ten seconds, so that it adapts to a change of speed', () => {
    const meter = new SpeedMeter();
    for (let second = 0; second <= 20; second += 1) meter.add(second * 1_000, second * 1_000_000);
    expect(meter.speed).toBe(1_000_000);
    expect(meter.secondsFor(90_000_000)).toBe(90);
    for (let second = 21; second <= 31; second += 1) meter.add(second * 1_000, 20_000_000 + (second - 20) * 100_000);
    expect(meter.speed).toBe(100_000);
  });

  it('resets after a pause', () => {
    const meter = new SpeedMeter();
    meter.add(0, 0);
    meter.add(5_000, 5_000_000);
    meter.reset();
    expect(meter.speed).toBeNull();
    meter.add(600_000, 5_000_000);
    meter.add(602_000, 5_200_000);
    expect(meter.speed).toBe(100_000);
  });

  it('returns no remaining time without progress', () => {
    const meter = new SpeedMeter();
    meter.add(0, 7);
    meter.add(3_000, 7);
    expect(meter.speed).toBe(0);
    expect(meter.secondsFor(100)).toBeNull();
  });
});
