import { randomUUID } from 'node:crypto';
import { lstat, readFile } from 'node:fs/promises';
import path from 'node:path';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DomainError } from '../../../shared/errors.js';
import { JobsService } from '../../../shared/jobs/index.js';
import { ActivitiesRepository } from '../../activity/index.js';
import { buildSubtitles, SOURCE } from '../../formats/index.js';
import {
  assToWebVtt,
  type EmbeddedTrack,
  EmbeddedTracksService,
  MAX_TEXT_BYTES,
  type MediaItem,
  MediaItemsRepository,
  RENDITIONS_PREFIX,
} from '../../media/index.js';
import { ObjectDownloadService } from '../execution/object-download.service.js';
import { WorkFoldersService } from '../execution/work-folders.service.js';
import { ToolFailure, type ToolLimits } from '../tools/tool-run.js';
import { ToolRunnerService } from '../tools/tool-runner.service.js';
import { readWords, type TextStream } from './read-words.js';

const TASK = 'take_words';
const NO_TEXT = 'it has no readable text';
/** The time for fetching and reading one film: a hundred gigabytes at the speed of a usual network and disk. */
const MAX_SECONDS = 1_800;
/** Only packets are read and texts written, so a film of a terabyte takes a few minutes of processor time. */
const LIMITS: ToolLimits = { seconds: MAX_SECONDS, cpuSeconds: 300, fileBytes: MAX_TEXT_BYTES, memoryBytes: 4_294_967_296 };

/**
 * Takes the subtitles and chapters out of an uploaded film or sound file, once after its inspection, and adds them to the media container as tracks
 * (contract section 13.7, Words). An activity names what was not taken.
 */
@Injectable()
export class EmbeddedWordsJob implements OnModuleInit {
  constructor(
    private readonly jobs: JobsService,
    private readonly items: MediaItemsRepository,
    private readonly tracks: EmbeddedTracksService,
    private readonly downloads: ObjectDownloadService,
    private readonly folders: WorkFoldersService,
    private readonly tools: ToolRunnerService,
    private readonly activities: ActivitiesRepository,
  ) {}

  onModuleInit(): void {
    this.jobs.handle<{ mediaId: number }>(TASK, async ({ mediaId }) => await this.take(mediaId));
  }

  /** Adds the job if the inspected file contains words. The films of a customer wait for each other, so that they do not delay other jobs. */
  async request(mediaId: number): Promise<void> {
    const [item] = await this.items.findMany([mediaId]);
    if (!item || wordsOf(item) === null) return;
    await this.jobs.add(TASK, { mediaId }, { queue: `${TASK} ${item.customerId}`, key: `${TASK} ${mediaId}` });
  }

  /** Repeating it adds nothing twice. Throws if storage, disk or database fail; then try again later. */
  async take(mediaId: number): Promise<void> {
    const [item] = await this.items.findMany([mediaId]);
    const words = item && wordsOf(item);
    if (!item || !words) return;
    await this.folders.using(async (folder) => {
      const problem = words.texts.length === 0 ? null : await this.write(item, words.texts, folder);
      const texts = problem === null ? await writtenTracks(folder, words.texts) : [];
      const report = await this.tracks.add(item, words.chapters ? [...texts, words.chapters] : texts);
      const missing = words.texts.filter(({ name }) => !texts.some((track) => track.name === name));
      const left = [...words.left, ...missing.map(({ label }) => ({ label, reason: problem ?? NO_TEXT })), ...(report?.left ?? [])];
      if (report) await this.report(item, { tracks: report.added, ...(left.length > 0 && { message: messageOf(left) }) });
    });
  }

  /** Writes the texts of a film into the folder. Returns why this is not possible, as a phrase; null: they are written. */
  private async write(item: MediaItem, texts: readonly TextStream[], folder: string): Promise<string | null> {
    const signal = AbortSignal.timeout(MAX_SECONDS * 1_000);
    await this.downloads.requireRoom(folder, item.fileSize);
    try {
      if (!(await this.downloads.fetch({ object: item, file: path.join(folder, SOURCE), signal }))) return 'the file no longer exists';
      const step = buildSubtitles(texts.map((text) => ({ index: text.index, output: fileOf(text), format: text.format })));
      await this.tools.run({ step, folder, limits: LIMITS, signal });
      return null;
    } catch (error) {
      return problemOf(error);
    }
  }

  private async report({ id: mediaId, customerId, mediaContainerId }: MediaItem, result: object): Promise<void> {
    const activity = { id: randomUUID(), customerId, clientId: null, type: 'trackExtraction', mediaContainerId } as const;
    await this.activities.succeed(activity, { result: { status: 'successful', mediaContainerId, mediaId, ...result } });
  }
}

/** The words inside an original; null: it has no words, or is not an original. */
const wordsOf = ({ status, role, fileDescription, s3Key }: MediaItem) =>
  status === 'successful' && role === null && fileDescription !== null && !s3Key.startsWith(RENDITIONS_PREFIX)
    ? readWords(fileDescription)
    : null;

const fileOf = ({ name, format }: TextStream): string => `${name}.${format}`;

/** The tracks of which the program wrote a file. */
async function writtenTracks(folder: string, texts: readonly TextStream[]): Promise<EmbeddedTrack[]> {
  const tracks: EmbeddedTrack[] = [];
  for (const text of texts) {
    const file = path.join(folder, fileOf(text));
    const found = await lstat(file).catch(() => null);
    if (!found?.isFile() || found.size === 0) continue;
    const { index: _, format, ...track } = text;
    if (format === 'webvtt') tracks.push({ ...track, content: file });
    else if (found.size <= MAX_TEXT_BYTES) tracks.push({ ...track, content: Buffer.from(assToWebVtt(await readFile(file, 'utf8'))) });
  }
  return tracks;
}

/** Why no further attempt would take more, as a phrase. Throws an error that may go away. */
function problemOf(error: unknown): string {
  if (error instanceof ToolFailure && !['killed', 'missing'].includes(error.reason)) return 'it cannot be read';
  if (error instanceof DomainError && error.kind !== 'unavailable') return 'the file was replaced';
  throw error;
}

const messageOf = (left: readonly { readonly label: string; readonly reason: string }[]): string =>
  `Not taken: ${left.map(({ label, reason }) => `${label} (${reason})`).join(', ')}.`;
