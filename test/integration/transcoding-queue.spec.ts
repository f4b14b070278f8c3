import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { FreePlace } from '../../src/modules/converter/transcodings/transcodings.repository.js';
import { atEventDepth } from '../../src/shared/events/index.js';
import {
  ANY_PLACE,
  aFormatOf,
  aJob,
  aTranscoder,
  createTranscodingWorld,
  rowsOf,
  someMedia,
  storyOf,
  type Transcoder,
  type TranscodingWorld,
  type WorkerProcess,
  want,
} from '../support/converter/transcoding-stage.js';

let world: TranscodingWorld;
let stage: WorkerProcess;
let acme: Transcoder;
let bobs: Transcoder;
let formats: { acme: number; bobs: number };
beforeAll(async () => {
  world = await createTranscodingWorld();
  stage = await world.start({ worker: 'off' });
  [acme, bobs] = [await aTranscoder(stage, 'Acme'), await aTranscoder(stage, 'Bobs')];
  formats = { acme: await aFormatOf(stage, acme), bobs: await aFormatOf(stage, bobs) };
});
afterEach(async () => await stage.db.query('DELETE FROM transcoding_jobs'));
afterAll(async () => await world.close());

const claim = async (programs: readonly string[] = [], place: Partial<FreePlace> = {}) =>
  await stage.transcodings.claim(programs, 'worker', { ...ANY_PLACE, ...place });
const ofAcme = async (count: number) => ({
  customerId: acme.customerId,
  formatId: formats.acme,
  media: await someMedia(stage, acme, count),
});
const ofBobs = async (count: number) => ({
  customerId: bobs.customerId,
  formatId: formats.bobs,
  media: await someMedia(stage, bobs, count),
});
/** Whose jobs are taken next, one after the other. */
async function takeSome(count: number): Promise<number[]> {
  const taken: number[] = [];
  for (let index = 0; index < count; index += 1) taken.push((await claim())?.customerId ?? 0);
  return taken;
}

describe('the line of transcodings', () => {
  it('delays a file of one customer by one file of another with a thousand, not by all of them', async () => {
    await want(stage, await ofAcme(1_000));
    await takeSome(3);
    stage.clock.advance(1);
    await want(stage, await ofBobs(1));
    expect(await takeSome(2)).toEqual([acme.customerId, bobs.customerId]);
  });

  it('does not let a customer with continuous requests delay others', async () => {
    const others = [await aTranscoder(stage, 'Cara'), await aTranscoder(stage, 'Dora'), await aTranscoder(stage, 'Emma')];
    const again = async (owner: Transcoder) =>
      await want(stage, { ...owner, formatId: formats.bobs, media: await someMedia(stage, owner, 1) });
    await want(stage, await ofAcme(2));
    for (const owner of others) await again(owner);
    const taken: number[] = [];
    for (let job = await claim(); taken.length < 6 && job; ) {
      taken.push(job.customerId);
      await stage.transcodings.delete(job, 'worker');
      const ended = others.find(({ customerId }) => customerId === job?.customerId);
      job = await claim();
      if (ended) await again(ended);
      stage.clock.advance(1);
    }
    expect(taken.filter((customerId) => customerId === acme.customerId)).toHaveLength(2);
  });

  it('has customers take turns', async () => {
    await want(stage, await ofAcme(20));
    await want(stage, await ofBobs(20));
    const taken = await takeSome(20);
    for (let turn = 0; turn < 20; turn += 2) expect(taken.slice(turn, turn + 2).sort()).toEqual([acme.customerId, bobs.customerId].sort());
  });

  it('gives a new customer no credit for past turns', async () => {
    await want(stage, { ...(await ofAcme(1)), programs: ['nobody-has-it'] }); // keeps the first turn
    await want(stage, await ofAcme(50));
    await takeSome(20);
    await want(stage, await ofBobs(20));
    expect(new Set(await takeSome(4))).toEqual(new Set([acme.customerId, bobs.customerId]));
  });

  it('keeps the order in which a customer asked', async () => {
    const ids = [...(await want(stage, await ofAcme(5))), ...(await want(stage, await ofAcme(5)))];
    expect((await rowsOf(stage)).map(({ id }) => id)).toEqual(ids);
  });

  it('takes previews first, except every fourth time, so that a thousand previews block no other', async () => {
    const renditions = await want(stage, await ofBobs(2));
    await want(stage, { ...(await ofAcme(6)), priority: 'preview' });
    const taken = [];
    for (let job = await claim(); job; job = await claim()) taken.push(renditions.includes(job.id));
    expect(taken).toHaveLength(8);
    for (const four of [taken.slice(0, 4), taken.slice(4)]) expect(four.filter(Boolean)).toHaveLength(1);
  });

  it('resets when it is empty', async () => {
    for (let round = 0; round < 2; round += 1) {
      await want(stage, await ofAcme(2));
      expect((await rowsOf(stage)).map(({ turn }) => turn)).toEqual([0, 1]);
      for (let job = await claim(); job; job = await claim()) await stage.transcodings.delete(job, 'worker');
    }
  });

  it('gives a worker only transcodings whose programs it has', async () => {
    const [needy] = await want(stage, { ...(await ofAcme(1)), programs: ['ffmpeg', 'ffprobe'] });
    const [modest] = await want(stage, await ofBobs(1));
    expect((await claim(['ffprobe']))?.id).toBe(modest);
    expect(await claim(['ffprobe'])).toBeNull();
    expect((await claim(['convert', 'ffmpeg', 'ffprobe']))?.id).toBe(needy);
  });

  it('gives sharp images that need ImageMagick or sharp, until one turns out to need ImageMagick', async () => {
    const wanted = { ...(await ofAcme(1)), programs: ['convert|sharp', 'ffprobe|sharp'] };
    const [image] = await want(stage, wanted);
    expect(await claim(['convert'])).toBeNull();
    const claimed = await claim(['sharp']);
    expect(claimed?.id).toBe(image);
    if (claimed) await stage.transcodings.requirePrograms(claimed, 'worker', ['convert', 'ffprobe|sharp']);
    expect(await claim(['sharp'])).toBeNull();
    expect((await claim(['convert', 'ffprobe']))?.id).toBe(image);
  });
});

describe('places for short and for long work', () => {
  const LONG = { isLong: true };
  const LAST = { maxExpectedSeconds: 600 };

  it('are given to work of their kind only', async () => {
    const [film] = await want(stage, { ...(await ofAcme(1)), isLong: true });
    expect(await claim()).toBeNull();
    const [picture] = await want(stage, await ofBobs(1));
    expect((await claim())?.id).toBe(picture);
    expect((await claim([], LONG))?.id).toBe(film);
  });

  it('have turns of their own: a thousand films do not put off a picture of the same customer', async () => {
    await want(stage, { ...(await ofAcme(1_000)), isLong: true });
    await want(stage, await ofBobs(10));
    await want(stage, await ofAcme(1));
    expect((await takeSome(2)).sort()).toEqual([acme.customerId, bobs.customerId].sort());
  });

  it.each([false, true])('are given in turns, isLong %s', async (isLong) => {
    await want(stage, { ...(await ofAcme(10)), isLong });
    await want(stage, { ...(await ofBobs(10)), isLong });
    const taken = [];
    for (let job = await claim([], { isLong }); job; job = await claim([], { isLong })) taken.push(job.customerId);
    for (let turn = 0; turn < 20; turn += 2) expect(taken.slice(turn, turn + 2).sort()).toEqual([acme.customerId, bobs.customerId].sort());
  });

  it('the last one is not given to customers who have another, whatever they want first', async () => {
    await want(stage, { ...(await ofAcme(100)), priority: 'preview' });
    const [picture] = await want(stage, await ofBobs(1));
    const last = { ...LAST, withoutCustomers: [acme.customerId] };
    expect((await claim([], last))?.id).toBe(picture);
    expect(await claim([], last)).toBeNull();
  });

  it('the last one is not given to work that turned out to take longer, which keeps its turn for other places', async () => {
    const films = await want(stage, { ...(await ofAcme(2)), isLong: true });
    const film = await claim([], { ...LONG, ...LAST }); // it is not known yet how long it takes
    expect(film?.id).toBe(films[0]);
    if (film) await stage.transcodings.expectLonger(film, 'worker', 600.5);
    expect((await claim([], { ...LONG, ...LAST }))?.id).toBe(films[1]);
    expect(await claim([], { ...LONG, ...LAST })).toBeNull();
    expect(await rowsOf(stage)).toContainEqual(
      expect.objectContaining({ id: films[0], state: 'ready', expectedSeconds: 601, failures: 0 }),
    );
    expect((await claim([], LONG))?.id).toBe(films[0]);
  });

  it('the last one is given to work that takes exactly as long as it may, and not to work of unknown length', async () => {
    for (const [seconds, isTaken] of [
      [600, true],
      [Number.POSITIVE_INFINITY, false],
    ] as const) {
      await want(stage, { ...(await ofAcme(1)), isLong: true });
      const film = await claim([], LONG);
      if (film) await stage.transcodings.expectLonger(film, 'worker', seconds);
      expect((await claim([], { ...LONG, ...LAST }))?.id).toBe(isTaken ? film?.id : undefined);
    }
  });
});

describe('a transcoding that is asked for', () => {
  it('is the one that waits already, or runs, and its activity begins once', async () => {
    const wanted = await ofAcme(1);
    const [first = ''] = await want(stage, wanted);
    expect(await want(stage, wanted)).toEqual([first]);
    await claim();
    expect(await want(stage, wanted)).toEqual([first]);
    expect(await rowsOf(stage)).toHaveLength(1);
    expect(await storyOf(stage, first)).toMatchObject({ status: 'running', progress: 0, events: [] });
  });

  it('is one, however many ask at the same moment', async () => {
    const wanted = await ofAcme(8);
    const answers = await Promise.all(Array.from({ length: 8 }, async () => await want(stage, wanted)));
    for (const answer of answers) expect(answer).toEqual(answers[0]);
    expect(await rowsOf(stage)).toHaveLength(8);
  });

  it('twice in one request is one', async () => {
    const { media, ...wanted } = await ofAcme(1);
    const [left, right] = await want(stage, { ...wanted, media: [...media, ...media] });
    expect(left).toBe(right);
    expect(await rowsOf(stage)).toHaveLength(1);
  });

  it('is another one after it has ended', async () => {
    const wanted = await ofAcme(1);
    const [first = ''] = await want(stage, wanted);
    expect(await stage.queue.cancel(acme.customerId, first)).toBe(true);
    expect(await want(stage, wanted)).not.toEqual([first]);
  });

  it('knows how many events led to it', async () => {
    const { jobId, customerId } = await atEventDepth(3, async () => await aJob(stage));
    await stage.queue.cancel(customerId, jobId);
    expect((await storyOf(stage, jobId)).events).toEqual([expect.objectContaining({ depth: 3 })]);
  });

  it('knows with which event its chain began', async () => {
    const { jobId, customerId } = await atEventDepth(3, async () => await aJob(stage), '77');
    await stage.queue.cancel(customerId, jobId);
    const sql = `SELECT root_id AS root FROM events WHERE payload->>'jobId' = $1`;
    expect(await stage.db.queryOne(sql, [jobId])).toEqual({ root: '77' });
  });

  it('is not there when its transaction is undone', async () => {
    const wanted = await ofAcme(1);
    const undone = stage.db.transaction(async () => {
      await want(stage, wanted);
      throw new Error('undone');
    });
    await expect(undone).rejects.toThrow('undone');
    expect(await rowsOf(stage)).toEqual([]);
  });
});

describe('a transcoding that is cancelled while it waits', () => {
  it('ends as failed, with an event of its original', async () => {
    const { jobId, customerId, media } = await aJob(stage);
    expect(await stage.queue.cancel(customerId, jobId)).toBe(true);
    expect(await storyOf(stage, jobId)).toMatchObject({
      status: 'failed',
      code: 'cancelled',
      events: [{ status: 'failed', mediaId: media.sourceMediaId, depth: 0 }],
    });
    expect(await rowsOf(stage)).toEqual([]);
  });

  it('ends once, and not by another customer', async () => {
    const { jobId, customerId } = await aJob(stage);
    expect(await stage.queue.cancel(bobs.customerId, jobId)).toBe(false);
    const cancelled = await Promise.all([1, 2, 3].map(async () => await stage.queue.cancel(customerId, jobId)));
    expect(cancelled.filter(Boolean)).toHaveLength(1);
    expect((await storyOf(stage, jobId)).events).toHaveLength(1);
  });
});
