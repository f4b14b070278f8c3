import { beforeEach, describe, expect, it } from '@jest/globals';
import { UploadWorld } from '../../../test/support/browser/upload-world.js';
import { ProblemError } from '../problem-error.js';
import { Batch } from './batch.js';
import { StorageError } from './errors.js';
import { ServerClock } from './server-clock.js';
import type { UploadService } from './service-calls.js';
import type { StorageClient } from './storage-client.js';
import { UploadFile } from './upload-file.js';
import { Uploader } from './uploader.js';
import type { UploaderOptions } from './uploader-options.js';

const MIB = 1024 * 1024;

let world: UploadWorld;
beforeEach(() => {
  world = new UploadWorld({ ProblemError, StorageError });
});

function deliver(options: Partial<UploaderOptions> = {}) {
  const service = world.service as unknown as UploadService;
  const storage = world.storage as unknown as StorageClient;
  return new Uploader({ service, storage, clock: new ServerClock(() => world.now), replacesEnded: true, ...options });
}

let ids = 0;
function aFile(name: string, size: number) {
  ids += 1;
  return new UploadFile({ id: String(ids), path: name, size, type: 'document', file: new File([new Uint8Array(size)], name) });
}

it('announces, uploads, reports and completes, in this order', async () => {
  const delivery = deliver();
  await delivery.start([], [aFile('a.txt', 5)]);
  expect(world.calls.map(([name]) => name)).toEqual([
    'open',
    'createUpload',
    'uploadStarted',
    'putObject',
    'itemSuccess',
    'uploadComplete',
  ]);
  expect(delivery.phase).toBe('delivered');
  expect(delivery.amounts).toEqual({ total: 5, sent: 5, files: 1, delivered: 1 });
});

it('announces no more than a thousand files at a time', async () => {
  const delivery = deliver();
  await delivery.start(
    [],
    Array.from({ length: 2_001 }, (_, index) => aFile(`${index}.txt`, 0)),
  );
  expect(world.calls.filter(([name]) => name === 'createUpload').map(([, , items]) => items)).toEqual([1_000, 1_000, 1]);
  expect([world.objects.size, world.completed.size, delivery.amounts.delivered]).toEqual([2_001, 3, 2_001]);
});

it('sends a large file in parts, and asks for their tags where the storage hides them', async () => {
  world.hidesTags = true;
  await deliver().start([], [aFile('large.bin', 11 * MIB)]);
  expect(world.calls.filter(([name]) => name === 'putPart').length).toBe(3);
  expect(world.calls.find(([name]) => name === 'completeMultipart')?.[1]).toBe('etag-1,etag-2,etag-3');
  expect([...world.objects.values()]).toEqual([11 * MIB]);
});

describe('after a reload', () => {
  const earlier = async () => {
    const multipartId = await world.storage.createMultipart({ s3Key: '', credentials: { SessionToken: '9' } });
    for (const [number, size] of [
      [1, 5 * MIB],
      [2, 3 * MIB],
    ] as const)
      world.multiparts.get(multipartId)?.set(number, size);
    const file = aFile('large.bin', 11 * MIB);
    file.progress = { multipartId };
    return { file, batch: new Batch('upload', [file]) };
  };

  it('sends the parts that are missing, and those that are not whole', async () => {
    const { batch } = await earlier();
    const delivery = deliver();
    await delivery.start([batch], []);
    expect(world.calls.filter(([name]) => name === 'putPart').map(([, number]) => number)).toEqual([2, 3]);
    expect([...world.objects.values()]).toEqual([11 * MIB]);
    expect(world.count('uploadStarted')).toBe(0);
  });

  it('checks whether a file whose parts are gone is complete, and sends it again if not', async () => {
    const { batch } = await earlier();
    world.multiparts.clear();
    await deliver().start([batch], []);
    expect(world.calls.map(([name]) => name)).toContain('itemSuccess');
    expect(world.calls.filter(([name]) => name === 'putPart').length).toBe(3);
    expect([...world.objects.values()]).toEqual([11 * MIB]);
  });

  it('does not send a file again that was completed just before', async () => {
    const { batch } = await earlier();
    world.multiparts.clear();
    world.objects.set('uploads/1/upload/0.bin', 11 * MIB);
    const delivery = deliver();
    await delivery.start([batch], []);
    expect([world.count('putPart'), delivery.phase]).toEqual([0, 'delivered']);
  });

  it('only reports a stored file, which need not be chosen again', async () => {
    const { batch, file } = await earlier();
    file.progress = { stored: true };
    file.file = null;
    const delivery = deliver();
    world.objects.set('uploads/1/upload/0.bin', 11 * MIB);
    await delivery.start([batch], []);
    expect(world.calls.map(([name]) => name).slice(1)).toEqual(['open', 'createUpload', 'itemSuccess', 'uploadComplete']);
  });

  it('moves the remaining files to a new batch when the old one has ended', async () => {
    const { batch, file } = await earlier();
    world.completed.add('upload');
    const delivery = deliver();
    await delivery.start([batch], []);
    expect(delivery.phase).toBe('delivered');
    expect(delivery.batches.map(({ files }) => files.length)).toEqual([0, 1]);
    expect([file.state, world.count('putPart'), world.count('uploadComplete')]).toEqual(['delivered', 3, 1]);
  });
});

describe('credentials', () => {
  it('are renewed before they end', async () => {
    world.lifetimeMs = 30_000;
    const file = aFile('large.bin', 21 * MIB);
    const put = world.storage.putPart;
    world.storage.putPart = async (...part) => {
      world.now += 10_000;
      return await put(...part);
    };
    await deliver().start([], [file]);
    expect(world.count('createUpload')).toBeGreaterThan(1);
    expect([...world.objects.values()]).toEqual([21 * MIB]);
  });

  it('are renewed once when the storage refuses them, however many requests that hits', async () => {
    world.generation = 2;
    const delivery = deliver();
    await delivery.start([], [aFile('a.txt', 1), aFile('b.txt', 2), aFile('c.txt', 3)]);
    expect([world.count('createUpload'), delivery.phase]).toEqual([2, 'delivered']);
  });

  it('are not requested endlessly', async () => {
    world.generation = Number.POSITIVE_INFINITY;
    const delivery = deliver();
    await delivery.start([], [aFile('a.txt', 1)]);
    expect(delivery.phase).toBe('stuck');
    expect(delivery.files[0]?.problem).toBe('The provided token has expired.');
    expect(world.count('createUpload')).toBeLessThan(10);
  });
});

describe('a refusal', () => {
  it('of a signature of another time sets the clock right', async () => {
    const late = { status: 403, code: 'RequestTimeTooSkewed', message: 'Late.', serverTime: new Date(world.now + 5_000).toISOString() };
    world.fail('putObject', new StorageError(late));
    const delivery = deliver();
    await delivery.start([], [aFile('a.txt', 1)]);
    expect([delivery.phase, delivery.deliveredAt]).toEqual(['delivered', world.now + 5_000]);
  });

  it('of one file leaves the others alone, and can be tried again', async () => {
    world.fail('putObject', new StorageError({ status: 400, code: 'EntityTooLarge', message: 'Too large.' }));
    const delivery = deliver();
    await delivery.start([], [aFile('a.txt', 1), aFile('b.txt', 2)]);
    expect([delivery.phase, delivery.amounts.delivered, world.completed.size]).toEqual(['stuck', 1, 0]);
    await delivery.retry();
    expect([delivery.phase, delivery.amounts.delivered, world.completed.size]).toEqual(['delivered', 2, 1]);
  });

  it('can be accepted', async () => {
    world.fail('putObject', new StorageError({ status: 400, code: 'EntityTooLarge', message: 'Too large.' }));
    const delivery = deliver();
    await delivery.start([], [aFile('a.txt', 1), aFile('b.txt', 2)]);
    await delivery.finishWithout();
    expect(delivery.files.map(({ state }) => state)).toEqual(['left-out', 'delivered']);
    expect([delivery.phase, delivery.files[0]?.problem]).toEqual(['delivered', 'Too large.']);
  });

  it('of the whole upload stops it before anything is sent', async () => {
    world.fail('createUpload', new ProblemError({ status: 429, code: 'dropsite_limit_reached', detail: 'Full.', retryAfter: 3_600 }));
    const delivery = deliver();
    await delivery.start([], [aFile('a.txt', 1)]);
    expect([delivery.phase, delivery.hasStarted, world.count('putObject')]).toEqual(['stopped', false, 0]);
    expect(delivery.problem).toMatchObject({ code: 'dropsite_limit_reached' });
  });
});

describe('duplicates', () => {
  it('wait for the decision of the person', async () => {
    world.duplicates.add('a.txt');
    const delivery = deliver();
    await delivery.start([], [aFile('a.txt', 1), aFile('b.txt', 2)]);
    expect([delivery.phase, world.objects.size]).toEqual(['deciding', 0]);
    await delivery.decide(delivery.files.filter(({ duplicate }) => duplicate));
    expect([delivery.phase, delivery.amounts]).toEqual(['delivered', { total: 2, sent: 2, files: 1, delivered: 1 }]);
    expect(world.calls.find(([name]) => name === 'uploadStarted')?.[1]).toMatchObject({ totalSize: 2, items: 1 });
  });

  it('that are all left out end without a completion', async () => {
    world.duplicates.add('a.txt');
    const delivery = deliver();
    await delivery.start([], [aFile('a.txt', 1)]);
    await delivery.decide(delivery.files);
    expect([delivery.phase, world.count('uploadComplete')]).toEqual(['nothing', 0]);
  });
});

it('waits while it is paused, and continues', async () => {
  const delivery = deliver();
  const put = world.storage.putPart;
  let parts = 0;
  world.storage.putPart = async (...part) => {
    parts += 1;
    if (parts === 1) setImmediate(() => delivery.pause());
    await new Promise(setImmediate);
    return await put(...part);
  };
  const end = delivery.start([], [aFile('large.bin', 21 * MIB)]);
  while (delivery.phase !== 'paused') await new Promise(setImmediate);
  for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
  const before = parts;
  for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
  expect(parts).toBe(before);
  delivery.resume();
  await end;
  expect([delivery.phase, ...world.objects.values()]).toEqual(['delivered', 21 * MIB]);
});

it('continues after a lost connection when it is restored', async () => {
  world.fail('putObject', ProblemError.network('gone'));
  world.fail('itemSuccess', ProblemError.network('gone'));
  const delivery = deliver();
  const end = delivery.start([], [aFile('a.txt', 1)]);
  for (let breaks = 0; breaks < 2; breaks += 1) {
    while (delivery.connection.retryAt === null) await new Promise(setImmediate);
    delivery.connection.tryNow();
  }
  await end;
  expect([delivery.phase, delivery.connection.isLost]).toEqual(['delivered', false]);
});

it('sends a file again that the storage lost after it was complete', async () => {
  const notes: object[] = [];
  const delivery = deliver({ memory: { note: ({ progress }) => void notes.push(progress) } });
  world.fail('itemSuccess', new ProblemError({ status: 409, code: 'object_missing', detail: 'It is not there.' }));
  await delivery.start([], [aFile('large.bin', 9 * MIB)]);
  expect([delivery.phase, notes.at(-1), delivery.amounts.sent]).toEqual(['stuck', {}, 0]);
  world.objects.clear();
  await delivery.retry();
  expect([delivery.phase, world.count('createMultipart'), world.count('putPart')]).toEqual(['delivered', 2, 4]);
});

it('does not begin further parts of a file after one was refused', async () => {
  world.fail('putPart', new StorageError({ status: 400, code: 'BadDigest', message: 'Odd.' }));
  const delivery = deliver();
  await delivery.start([], [aFile('large.bin', 51 * MIB)]);
  for (let turn = 0; turn < 50; turn += 1) await new Promise(setImmediate);
  expect([delivery.phase, world.count('putPart') < 11]).toEqual(['stuck', true]);
});

it('stops with a session that cannot be renewed', async () => {
  world.fail('itemSuccess', new ProblemError({ status: 400, code: 'invalid_grant', detail: 'It has ended.' }));
  const delivery = deliver();
  await delivery.start([], [aFile('a.txt', 1), aFile('b.txt', 1)]);
  expect([delivery.phase, delivery.problem]).toEqual(['stopped', expect.objectContaining({ code: 'invalid_grant' })]);
});

describe('with limited patience', () => {
  const lost = Array.from({ length: 9 }, () => ProblemError.network('gone'));
  const impatient = () => {
    const { open: _, ...service } = world.service;
    return deliver({ service: service as unknown as UploadService, patienceMs: 1_000_000 });
  };
  const hurry = async (delivery: Uploader, end: Promise<void>) => {
    const state = { isOver: false };
    void end.then(() => {
      state.isOver = true;
    });
    while (!state.isOver) {
      await new Promise(setImmediate);
      delivery.connection.tryNow();
    }
  };

  it('it gives up soon when nothing has ever answered', async () => {
    world.fail('createUpload', ...lost);
    const delivery = impatient();
    await hurry(delivery, delivery.start([], [aFile('a.txt', 1)]));
    expect([delivery.phase, world.count('createUpload')]).toEqual(['stopped', 4]);
    expect(delivery.problem).toMatchObject({ code: 'network_error' });
  });

  it('it goes on for longer when the connection is lost later', async () => {
    world.fail('itemSuccess', ...lost);
    const delivery = impatient();
    await hurry(delivery, delivery.start([], [aFile('a.txt', 1)]));
    expect([delivery.phase, world.count('itemSuccess')]).toEqual(['delivered', 10]);
  });
});

it('aborts multipart uploads when the person cancels', async () => {
  const delivery = deliver();
  world.fail('completeMultipart', new StorageError({ status: 400, code: 'InvalidPart', message: 'Odd.' }));
  await delivery.start([], [aFile('large.bin', 9 * MIB)]);
  await delivery.giveUp();
  expect([delivery.phase, world.count('abortMultipart'), world.count('uploadComplete')]).toEqual(['stuck', 1, 0]);
});
