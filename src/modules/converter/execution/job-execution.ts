import path from 'node:path';
import { Injectable } from '@nestjs/common';
import { Log } from '../../../shared/logging/index.js';
import { ObjectStorage } from '../../../shared/storage/index.js';
import { SOURCE } from '../../formats/index.js';
import type { NewRendition } from '../../media/index.js';
import type { ClaimedJob } from '../jobs/claimed-job.js';
import { renditionKey } from '../jobs/rendition-key.js';
import { executionErrors } from './execution.errors.js';
import { Hindrance } from './hindrance.js';
import type { JobOutcome, SourceReport } from './job-outcome.js';
import { ObjectDownload } from './object-download.js';
import { NO_FACTS } from './probe/media-facts.js';
import { type Recipe, RecipeReader } from './recipe-reader.js';
import { kindOf } from './rendition-kinds.js';
import { type MadeFile, RenditionMaker } from './rendition-maker.js';
import { tellOutcome } from './tell-outcome.js';
import { WorkFolders } from './work-folders.js';

/** What the work on a job hears from whoever gave it, and tells. */
export interface JobControl {
  /** Ends the work: the job was taken away, cancelled, or the process stops. */
  readonly signal: AbortSignal;
  /** How far it is, in per cent; never 100 before it is committed. */
  advance(percent: number): void;
  /** Whether the job still belongs to this worker; asked before something is put into the storage. */
  isOurs(): Promise<boolean>;
}

/** The part of the whole that is done when a stage begins, in per cent. Programs take nearly all of the time. */
const STAGES = { download: 0, work: 10, upload: 90, end: 99 } as const;
const NOTHING_KNOWN: SourceReport = { facts: NO_FACTS, technicalMetadata: null };
/** Extensions are the uploader's; only those stand in keys that are plain. */
const PLAIN_EXTENSION = /^[a-z0-9]{1,12}$/;

/** The work on one job: from the original in the storage to the rendition in the storage. */
@Injectable()
export class JobExecution {
  constructor(
    private readonly recipes: RecipeReader,
    private readonly downloads: ObjectDownload,
    private readonly maker: RenditionMaker,
    private readonly folders: WorkFolders,
    private readonly storage: ObjectStorage,
    private readonly log: Log,
  ) {}

  /** Never throws for what a job can meet; aborted, it stops quickly and answers `later`. Nothing of it stays on this machine. */
  async run(job: ClaimedJob, control: JobControl): Promise<JobOutcome> {
    try {
      const recipe = await this.recipes.read(job);
      if (recipe.format.converter === 'original') return { kind: 'made', rendition: null, source: NOTHING_KNOWN };
      return await this.folders.using(async (folder) => await this.make(job, recipe, control, folder));
    } catch (error) {
      if (control.signal.aborted) return { kind: 'later', reason: 'The work was stopped.' };
      const outcome = tellOutcome(error);
      if (!outcome) this.log.error({ err: error, jobId: job.id }, 'the work on a transcoding job failed in a way that nobody foresaw');
      return outcome ?? { kind: 'later', reason: 'The worker failed.' };
    }
  }

  private async make(job: ClaimedJob, recipe: Recipe, control: JobControl, folder: string): Promise<JobOutcome> {
    const { signal } = control;
    const tell = stageTeller(control);
    const file = path.join(folder, SOURCE);
    const { source } = recipe;
    await this.downloads.requireRoom(folder, recipe.format.converter === 'copy' ? source.fileSize : 2 * source.fileSize);
    if (!(await this.downloads.fetch({ object: source, file, signal, advance: tell('download', 'work') }))) {
      throw executionErrors.source_missing('The original is gone from the storage.');
    }
    const made = await this.maker.make({ recipe, folder, signal, advance: tell('work', 'upload') });
    tell('upload', 'end')(0);
    const rendition = await this.upload(job, recipe, made, control);
    tell('upload', 'end')(1);
    return { kind: 'made', rendition, source: made.source };
  }

  private async upload(job: ClaimedJob, recipe: Recipe, made: MadeFile, control: JobControl): Promise<NewRendition> {
    const { signal } = control;
    const { type, contentType } = kindOf(made.fileExtension, recipe.source.type);
    const s3Key = renditionKey(job, PLAIN_EXTENSION.test(made.fileExtension) ? made.fileExtension : 'bin');
    if (!(await control.isOurs())) throw new Hindrance('The job was given to another worker.');
    const { size, etag, version } = await this.storage.write(s3Key, { file: made.file, contentType, signal });
    if (signal.aborted) {
      await this.storage.delete(s3Key);
      throw signal.reason;
    }
    const { fileExtension, facts } = made;
    const test = recipe.format.settings.testMode !== undefined;
    return { type, fileExtension, fileSize: size, etag, version, s3Key, test, facts };
  }
}

/** Tells how far a stage is as part of the whole job, each per cent once. */
function stageTeller(control: JobControl) {
  let told = 0;
  return (from: keyof typeof STAGES, to: keyof typeof STAGES) =>
    (part: number): void => {
      const percent = Math.floor(STAGES[from] + Math.min(1, part) * (STAGES[to] - STAGES[from]));
      if (percent <= told) return;
      told = percent;
      control.advance(percent);
    };
}
