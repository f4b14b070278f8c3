import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import type { Hearer } from '../postgres/keep-postgres.js';
import { type HeldObjectStorage, holdObjectStorage } from './hold-object-storage.js';
import type { ServerPlace } from './spawn-server.js';

/** A port that is not free yet, say, is so a moment later. */
const TRY_AGAIN_MS = 1_000;

/** Holds the storage of a data directory, and starts it again at the same port whenever it ends by itself, so that clients recover. */
export async function keepObjectStorage(place: ServerPlace, log: Hearer): Promise<Omit<HeldObjectStorage, 'lost'>> {
  let storage = await holdObjectStorage(place);
  const address = { ...storage };
  const samePlace = { ...place, port: Number(new URL(storage.endpoint).port) };
  const letGo = new AbortController();
  const asked = once(letGo.signal, 'abort');

  const watch = async () => {
    for (;;) {
      await Promise.race([storage.lost, asked]);
      if (letGo.signal.aborted) return;
      storage = await restart(samePlace, log, letGo.signal);
      log.warn({}, 'the local object storage was lost and is back');
    }
  };
  const watching = watch();

  const release = async () => {
    letGo.abort();
    await watching.catch(() => {}); // it was trying to start the server, and gave up
    await storage.release();
  };
  const { endpoint, bucket, region, roleArn, key } = address;
  return { endpoint, bucket, region, roleArn, key, release };
}

async function restart(place: ServerPlace, log: Hearer, letGo: AbortSignal): Promise<HeldObjectStorage> {
  for (;;) {
    try {
      return await holdObjectStorage(place);
    } catch (err) {
      log.error({ err }, 'the local object storage was lost and does not start again, trying on');
    }
    await setTimeout(TRY_AGAIN_MS, undefined, { signal: letGo });
  }
}
