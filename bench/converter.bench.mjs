// How much time does the worker add to the programs that it runs, also for several streaming renditions? Do two workers share the work, and is
// memory independent of the size of the original? Needs the programs of `npm run install:tools`.
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { findBlueprint, finishedJobs, transcode, uploadFile } from './support/media.mjs';
import { root, startProgram, startService } from './support/processes.mjs';
import { declareBenchClients } from './support/provision.mjs';
import { clientCredentials } from './support/tokens.mjs';

const CLIP = { picture: 'testsrc2', width: 1920, height: 1080, frameRate: 25, duration: 60 };
const CLIP_ROUNDS = 3;
const LADDER = ['720p', '480p', '360p', '240p'];
/**
 * With BENCH_FILM_SECONDS only the streaming renditions of a film of this length are measured, a long one once. Its picture does not move, so
 * that it is created quickly.
 */
const FILM = { picture: 'smptehdbars', width: 1280, height: 720, frameRate: 10, duration: Number(process.env.BENCH_FILM_SECONDS || 20) };
const FILM_ROUNDS = FILM.duration > 60 ? 1 : 3;
const IMAGE_ROUNDS = 20;
const BATCH = 200;
const GIGABYTES = 5;

export async function run() {
  const folder = mkdtempSync(path.join(tmpdir(), 'media-delivery-bench-'));
  const service = await startService({ WORKER: 'off' });
  try {
    await declareBenchClients(service);
    const token = async () => await clientCredentials(service.url); // tokens expire after a quarter of an hour
    if (process.env.BENCH_FILM_SECONDS) return await withWorkers(1, service, async () => await ladder({ folder, service, token }));
    const stage = { folder, service, token, ...drawMedia(folder) };
    const rows = await withWorkers(1, service, async () => [...(await clip(stage)), ...(await ladder(stage)), ...(await image(stage))]);
    return [...rows, ...(await batches(stage)), ...(await large(stage))];
  } finally {
    await service.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function withWorkers(count, service, work) {
  const env = { DATA_DIR: service.dataDir, PUBLIC_URL: service.url, LOG_LEVEL: 'info' };
  const start = async () => await startProgram(path.join(root, 'dist/src/worker.js'), { env, ready: /worker is ready/ });
  const workers = [];
  try {
    for (let n = 0; n < count; n += 1) workers.push(await start());
    return await work(workers);
  } finally {
    for (const worker of workers) await worker.stop();
  }
}

function run1(cwd, program, argv) {
  const { status, stderr } = spawnSync(program, argv, { cwd, encoding: 'utf8', maxBuffer: 2 ** 26 });
  if (status !== 0) throw new Error(`${program} ended with ${status}: ${stderr}`);
}

/** A film with sound. */
function drawFilm(file, { picture: source, width, height, frameRate, duration }) {
  const picture = ['-f', 'lavfi', '-i', `${source}=s=${width}x${height}:r=${frameRate}:d=${duration}`];
  const sound = ['-f', 'lavfi', '-i', `sine=d=${duration}`];
  const codecs = ['-c:v', 'libx264', '-preset', 'ultrafast', '-crf', '23', '-pix_fmt', 'yuv420p', '-c:a', 'aac'];
  run1(path.dirname(file), 'ffmpeg', ['-v', 'error', '-y', ...picture, ...sound, ...codecs, file]);
}

/** A clip of 1080p, and a photograph of 12 megapixels. */
function drawMedia(folder) {
  const clipFile = path.join(folder, 'clip.mp4');
  drawFilm(clipFile, CLIP);
  const photoFile = path.join(folder, 'photo.jpg');
  run1(folder, 'convert', ['-size', '4000x3000', 'plasma:tomato-steelblue', '-quality', '92', `jpeg:${photoFile}`]);
  return { clipFile, photoFile };
}

/** Seconds that the same programs take with the same arguments, started directly on a copy of the source. */
async function byHand({ folder }, key, file, film = null) {
  const load = async (name) => await import(pathToFileURL(path.join(root, 'dist/src/modules/formats', name)).href);
  const { BLUEPRINTS } = await load('blueprints/blueprints.js');
  const { buildInvocation } = await load('converters/build-invocation.js');
  const { buildExiftoolStep } = await load('metadata/build-exiftool-step.js');
  const { buildMetadataTags } = await load('metadata/build-metadata-tags.js');
  const { converter, settings } = BLUEPRINTS.find((blueprint) => blueprint.key === key);
  const job = mkdtempSync(path.join(folder, 'by-hand-'));
  const mediaType = film ? 'video' : 'image';
  const { frameRate } = film ?? CLIP;
  const source = {
    ...{ mediaType, ...(film ?? CLIP), baseFrameRate: frameRate, rotation: null, pixelAspect: null, color: null },
    ...{ hasAudio: film !== null, hasVideo: film !== null, fileExtension: path.extname(file).slice(1) },
  };
  const request = {
    converter,
    command: settings.parameters,
    settings,
    customerTimecode: null,
    source,
    watermark: null,
    tools: [],
    programs: ['convert', 'ffprobe', 'ffmpeg', 'exiftool'],
    xmp: null,
  };
  const invocation = buildInvocation({ ...request, folder: job });
  copyFileSync(file, path.join(job, invocation.inputs.source));
  const { tags } = buildMetadataTags({ settings, item: { type: mediaType }, customer: { name: 'Demo' }, serviceName: 'Media Delivery' });
  const metadata = mediaType === 'image' ? buildExiftoolStep(tags, invocation.output) : null;
  if (metadata) writeFileSync(path.join(job, metadata.file.name), metadata.file.content);
  const startedAt = performance.now();
  for (const { program, argv } of [...invocation.steps, ...(metadata ? [metadata.step] : [])]) run1(job, program, argv);
  const seconds = (performance.now() - startedAt) / 1_000;
  rmSync(job, { recursive: true });
  await delay(100); // so that the client notices connections that the service has closed meanwhile
  return seconds;
}

/** Seconds from the request to the end of the job. */
async function byService({ service, token }, containerId, formatId) {
  const access = { url: service.url, token: await token() };
  const jobId = await transcode(access, containerId, formatId);
  const [{ createdAt, finishedAt }] = await finishedJobs(access, [jobId]);
  return (Date.parse(finishedAt) - Date.parse(createdAt)) / 1_000;
}

async function inTurns(rounds, sides) {
  const times = Object.fromEntries(Object.keys(sides).map((name) => [name, []]));
  for (let round = 0; round < rounds; round += 1) for (const [name, side] of Object.entries(sides)) times[name].push(await side());
  return Object.fromEntries(Object.entries(times).map(([name, all]) => [name, median(all)]));
}

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

async function clip(stage) {
  const key = 'h264-720p';
  const access = { url: stage.service.url, token: await stage.token() };
  const { mediaContainerId } = await uploadFile(access, { file: stage.clipFile, type: 'video' });
  const { id } = await findBlueprint(access, 'H.264 720p');
  const { hand, worker } = await inTurns(CLIP_ROUNDS, {
    hand: async () => await byHand(stage, key, stage.clipFile, CLIP),
    worker: async () => await byService(stage, mediaContainerId, id),
  });
  const note = `${hand.toFixed(1)} s by hand, ${worker.toFixed(1)} s by the worker: ${percent(worker / hand - 1)} more (target under 5 %)`;
  return [{ name: `a clip of ${CLIP.duration} s in 1080p to 720p`, note, ratio: hand / worker, target: 1 / 1.05 }];
}

/** Four streaming renditions of a film: from the first request to the end of the last job, against the same commands one after the other. */
async function ladder(stage) {
  const film = path.join(stage.folder, 'film.mp4');
  drawFilm(film, FILM);
  const access = { url: stage.service.url, token: await stage.token() };
  const { mediaContainerId } = await uploadFile(access, { file: film, type: 'video' });
  const ids = [];
  for (const rung of LADDER) ids.push((await findBlueprint(access, `Streaming ${rung}`)).id);
  const { hand, worker } = await inTurns(FILM_ROUNDS, {
    hand: async () => {
      let seconds = 0;
      for (const rung of LADDER) seconds += await byHand(stage, `streaming-${rung}`, film, FILM);
      return seconds;
    },
    worker: async () => {
      const now = { ...access, token: await stage.token() };
      const jobs = [];
      for (const id of ids) jobs.push(await transcode(now, mediaContainerId, id));
      const ended = await finishedJobs(now, jobs);
      const begun = Math.min(...ended.map(({ createdAt }) => Date.parse(createdAt)));
      return (Math.max(...ended.map(({ finishedAt }) => Date.parse(finishedAt))) - begun) / 1_000;
    },
  });
  const note = `${hand.toFixed(1)} s by hand, ${worker.toFixed(1)} s by the worker: ${(worker / hand).toFixed(2)} times (target at most 1.15)`;
  const name = `${LADDER.length} streaming renditions of a film of ${FILM.duration} s in 720p`;
  return [{ name, note, ratio: hand / worker, target: 1 / 1.15 }];
}

const percent = (share) => `${(share * 100).toFixed(1)} %`;

async function image(stage) {
  const access = { url: stage.service.url, token: await stage.token() };
  const { mediaContainerId } = await uploadFile(access, { file: stage.photoFile, type: 'image' });
  const { id } = await findBlueprint(access, 'JPEG');
  const { hand, worker } = await inTurns(IMAGE_ROUNDS, {
    hand: async () => await byHand(stage, 'jpeg', stage.photoFile),
    worker: async () => await byService(stage, mediaContainerId, id),
  });
  const more = (worker - hand) * 1_000;
  const note = `${Math.round(hand * 1_000)} ms by hand, ${Math.round(more)} ms more by the worker (target under 100 ms)`;
  return [{ name: 'a JPEG rendition of 12 megapixels', note, ratio: 100 / Math.max(more, 1), target: 1 }];
}

/** Seconds that workers take to make a rendition of each image of a batch. */
async function batches(stage) {
  const small = path.join(stage.folder, 'small.jpg');
  run1(stage.folder, 'convert', [stage.photoFile, '-resize', '2000x1500', `jpeg:${small}`]);
  const access = { url: stage.service.url, token: await stage.token() };
  const { id } = await findBlueprint(access, 'JPEG');
  const containers = [];
  for (let n = 0; n < BATCH; n += 1) containers.push((await uploadFile(access, { file: small, type: 'image' })).mediaContainerId);
  const seconds = async (count) => {
    const jobs = [];
    for (const container of containers) jobs.push(await transcode(access, container, id)); // while no worker runs
    const startedAt = Date.now();
    const done = await withWorkers(count, stage.service, async () => {
      const begunAt = Date.now(); // all workers are ready
      const ended = await finishedJobs({ ...access, token: await stage.token() }, jobs);
      const inTime = ended.filter(({ finishedAt }) => Date.parse(finishedAt) > begunAt).length;
      return { begunAt, inTime, last: Math.max(...ended.map(({ finishedAt }) => Date.parse(finishedAt))) };
    });
    // What workers did before the last one was ready counts neither as time nor as work.
    if (done.inTime < BATCH * 0.8) throw new Error(`The workers began ${done.begunAt - startedAt} ms apart.`);
    return ((done.last - done.begunAt) / 1_000 / done.inTime) * BATCH;
  };
  const [one, two] = [await seconds(1), await seconds(2)];
  const note = `one worker ${one.toFixed(1)} s, two ${two.toFixed(1)} s: ${(two / one).toFixed(2)} (target at most 0.6)`;
  return [{ name: `${BATCH} image renditions`, note, ratio: one / two, target: 1 / 0.6 }];
}

/** Peak memory of a worker that downloads an original and uploads it again. */
async function large(stage) {
  mkdirSync(path.join(stage.folder, 'large'));
  const access = { url: stage.service.url, token: await stage.token() };
  const { id } = await findBlueprint(access, 'Copy');
  const peaks = [];
  for (const bytes of [1024 ** 2, GIGABYTES * 1024 ** 3]) {
    const file = path.join(stage.folder, 'large', 'film.mp4');
    copyFileSync(stage.clipFile, file);
    truncateSync(file, bytes);
    const { mediaContainerId } = await uploadFile({ ...access, token: await stage.token() }, { file, type: 'video' });
    rmSync(file);
    peaks.push(
      await withWorkers(1, stage.service, async ([worker]) => {
        await byService(stage, mediaContainerId, id);
        return Math.round(Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${worker.pid}/status`, 'utf8'))[1]) / 1024);
      }),
    );
  }
  const [small, big] = peaks;
  const note = `${small} MB with 1 MB, ${big} MB with ${GIGABYTES} GB`;
  return [{ name: 'peak memory of a worker, original of 1 MB and of 5 GB', note, ratio: small / big, target: 0.7 }];
}
