import path from 'node:path';
import { Injectable } from '@nestjs/common';
import { Log } from '../../../shared/logging/index.js';
import { ObjectStorage } from '../../../shared/storage/index.js';
import { SOURCE } from '../../formats/index.js';
import type { NewRendition, OriginalReport } from '../../media/index.js';
import { WorkLimitsService } from '../tools/work-limits.service.js';
import { renditionKey } from '../transcodings/rendition-key.js';
import { executionErrors } from '../transcodings/transcodings.errors.js';
import type { ClaimedTranscoding } from '../transcodings/transcodings.repository.js';
import { expectedWork } from './expected-work.js';
import { NO_FACTS } from './media-prober.service.js';
import { ObjectDownloadService } from './object-download.service.js';
import { type Recipe, RecipeReaderService } from './recipe-reader.service.js';
import { kindOf } from './rendition-kinds.js';
import { type MadeFile, RenditionMakerService } from './rendition-maker.service.js';
import { ExpectedLonger, outcomeOfError, TemporaryFailure, type TranscodingOutcome } from './transcoding-outcome.js';
import { WorkFoldersService } from './work-folders.service.js';

/** How a worker controls an execution and receives its progress. */
export interface ExecutionControl {
  /** Aborts the work: the claim was lost, the transcoding was cancelled, or the process stops. */
  readonly signal: AbortSignal;
  /** Seconds that the work may be expected to take in its place; absent: as long as it needs. */
  readonly maxExpectedSeconds?: number;
  /** Reports the progress in per cent; never 100 before it is committed. */
  advance(percent: number): void;
  /** Whether the claim is still this worker's; asked before something is written into the storage. */
  isClaimed(): Promise<boolean>;
}

/** The progress at the start of each stage, in per cent. Programs take nearly all of the time. */
const STAGES = { download: 0, work: 10, upload: 90, end: 99 } as const;
const NOTHING_KNOWN: OriginalReport = { facts: NO_FACTS, technicalMetadata: null };
/** Uploaders choose extensions; only plain ones become part of a key. */
const PLAIN_EXTENSION = /^[a-z0-9]{1,12}$/;

/** One attempt: from the original in the storage to the rendition in the storage. */
@Injectable()
export class TranscodingExecutionService {
  constructor(
    private readonly recipes: RecipeReaderService,
    private readonly downloads: ObjectDownloadService,
    private readonly maker: RenditionMakerService,
    private readonly folders: WorkFoldersService,
    private readonly storage: ObjectStorage,
    private readonly log: Log,
    private readonly limits: WorkLimitsService,
  ) {}

  /**
   * Executes one attempt and returns its outcome instead of throwing foreseeable errors. If aborted, it stops quickly and returns `later`. It leaves
   * no files on this machine.
   */
  async run(transcoding: ClaimedTranscoding, control: ExecutionControl): Promise<TranscodingOutcome> {
    try {
      const recipe = await this.recipes.read(transcoding);
      if (recipe.format.converter === 'original') return { kind: 'made', rendition: null, source: NOTHING_KNOWN };
      return await this.folders.using(async (folder) => await this.make(transcoding, recipe, control, folder));
    } catch (error) {
      if (control.signal.aborted) return { kind: 'later', reason: 'The work was stopped.' };
      const outcome = outcomeOfError(error);
      if (!outcome) this.log.error({ err: error, jobId: transcoding.id }, 'a transcoding failed unexpectedly');
      return outcome ?? { kind: 'later', reason: 'The worker failed.' };
    }
  }

  private async make(
    transcoding: ClaimedTranscoding,
    recipe: Recipe,
    control: ExecutionControl,
    folder: string,
  ): Promise<TranscodingOutcome> {
    const { signal, maxExpectedSeconds = Number.POSITIVE_INFINITY } = control;
    const advance = stageProgress(control);
    const file = path.join(folder, SOURCE);
    const { source } = recipe;
    const atLeast = this.limits.expectedSeconds(expectedWork(recipe, source, 0));
    if (atLeast > maxExpectedSeconds) throw new ExpectedLonger(atLeast);
    await this.downloads.requireRoom(folder, recipe.format.converter === 'copy' ? source.fileSize : 2 * source.fileSize);
    if (!(await this.downloads.fetch({ object: source, file, signal, advance: advance('download', 'work') }))) {
      throw executionErrors.source_missing('The original no longer exists in the storage.');
    }
    const made = await this.maker.make({ recipe, folder, signal, maxExpectedSeconds, advance: advance('work', 'upload') });
    if ('reason' in made) return { kind: 'skipped', ...made };
    advance('upload', 'end')(0);
    const { others, message, source: report } = made;
    const uploaded: NewRendition[] = [];
    for (const [index, one] of [made, ...others].entries()) {
      uploaded.push(await this.upload(transcoding, recipe, one, { control, number: index + 1 }));
      advance('upload', 'end')((index + 1) / (others.length + 1));
    }
    const [rendition = null, ...rest] = uploaded;
    return { kind: 'made', rendition, source: report, ...(rest.length > 0 && { others: rest }), ...(message !== null && { message }) };
  }

  /** Stores one of the files of an attempt; `number` counts them from 1. */
  private async upload(
    transcoding: ClaimedTranscoding,
    recipe: Recipe,
    made: MadeFile,
    { control, number }: { readonly control: ExecutionControl; readonly number: number },
  ): Promise<NewRendition> {
    const { signal } = control;
    const { type, contentType } = kindOf(made.fileExtension, recipe.source.type);
    const extension = PLAIN_EXTENSION.test(made.fileExtension) ? made.fileExtension : 'bin';
    const s3Key = renditionKey(transcoding, number === 1 ? extension : `${number}.${extension}`);
    if (!(await control.isClaimed())) throw new TemporaryFailure('The transcoding was given to another worker.');
    const { size, etag, version, crc32 } = await this.storage.write(s3Key, { file: made.file, contentType, signal });
    if (signal.aborted) {
      await this.storage.delete(s3Key);
      throw signal.reason;
    }
    const { fileExtension, facts, streaming, storyboard, track } = made;
    const test = recipe.format.settings.testMode !== undefined;
    return {
      type,
      fileExtension,
      fileSize: size,
      etag,
      version,
      crc32,
      s3Key,
      test,
      facts,
      streaming,
      storyboard,
      ...(track && { track }),
    };
  }
}

/** Reports the progress of a stage as part of the whole, each per cent once. */
function stageProgress(control: ExecutionControl) {
  let reported = 0;
  return (from: keyof typeof STAGES, to: keyof typeof STAGES) =>
    (part: number): void => {
      const percent = Math.floor(STAGES[from] + Math.min(1, part) * (STAGES[to] - STAGES[from]));
      if (percent <= reported) return;
      reported = percent;
      control.advance(percent);
    };
}
