import { beforeEach, describe, expect, it } from '@jest/globals';
import { ProblemError, ServerClock, type StorageClient, StorageError } from '@media-delivery/sdk/uploader';
import { UploadWorld } from '../../../../../test/support/upload-world.js';
import type { Checksums } from './checksums.js';
import { Delivery } from './delivery.js';
import { toUploadFile } from './picked-file.js';
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
