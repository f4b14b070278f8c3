import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { Injectable } from '@nestjs/common';
import { DomainError } from '../../../shared/errors.js';
import { type PictureFormat, planPictureExamination, planResizedPicture, Refusal, SOURCE, type Step } from '../../formats/index.js';
import type { LadderSize, PictureItem, PictureSource } from '../../media/index.js';
import { ObjectDownloadService } from '../execution/object-download.service.js';
import { SourceInspectorService } from '../execution/source-inspector.service.js';
import { WorkFoldersService } from '../execution/work-folders.service.js';
import { toolLimits } from '../tools/programs.js';
import { ToolFailure } from '../tools/tool-run.js';
import { ToolRunnerService } from '../tools/tool-runner.service.js';
import { ToolboxService } from '../tools/toolbox.service.js';

/** A larger file takes longer to fetch than a viewer waits, and is no photo. */
const MAX_SOURCE_BYTES = 512 * 1_048_576;
/** Processor time in seconds: AVIF of the largest size takes five. Wall-clock time is limited by the claim. */
const MAX_CPU_SECONDS = 40;
const MAX_SECONDS = 600;
const ANSWER = 'answer.json';

/** What is known about a picture. */
export type PictureFacts = Pick<PictureSource, 'width' | 'height' | 'animated' | 'transparent'>;

/** The picture cannot be read, now or later. */
export class UnreadablePicture extends Error {
  override readonly name = 'UnreadablePicture';
}

/** A picture on this machine, as long as its folder exists. */
export interface OpenPicture {
  readonly folder: string;
  /** The actual type of the file. */
  readonly extension: string | null;
  /** Pixels, as viewers see it. */
  readonly width: number;
  readonly height: number;
  readonly signal: AbortSignal;
}

/** The code with which the inspection refuses a file. */
const UNREADABLE = 'source_unreadable';
/** The reasons of a failed program that the next attempt would repeat. */
const PERMANENT: readonly string[] = ['exit', 'size', 'time'];

/** Reads pictures and makes sizes of them, by programs that run isolated. Its methods throw an UnreadablePicture, and errors that may go away. */
@Injectable()
export class PictureProgramsService {
  constructor(
    private readonly folders: WorkFoldersService,
    private readonly downloads: ObjectDownloadService,
    private readonly sources: SourceInspectorService,
    private readonly toolbox: ToolboxService,
    private readonly tools: ToolRunnerService,
  ) {}

  /** Whether this machine can make sizes; if its programs cannot be isolated, others have to. */
  async isAvailable(): Promise<boolean> {
    return (await this.toolbox.programs()).includes('sharp');
  }

  /** Fetches a picture for `work`; null: its object is gone. */
  async open<Result>(item: PictureItem, signal: AbortSignal, work: (picture: OpenPicture) => Promise<Result>): Promise<Result | null> {
    if (item.fileSize > MAX_SOURCE_BYTES) throw new UnreadablePicture('The file is too large.');
    return await this.folders.using(async (folder) => {
      await this.downloads.requireRoom(folder, 2 * item.fileSize);
      const file = path.join(folder, SOURCE);
      if (!(await this.downloads.fetch({ object: item, file, signal }))) return null;
      return await permanently(async () => {
        const inspected = { folder, file: SOURCE, mediaType: 'image', fileExtension: item.fileExtension, signal } as const;
        const { source, media } = await this.sources.inspect(inspected);
        if (!media.width || !media.height) throw new UnreadablePicture('The size of the picture is unknown.');
        return await work({ folder, extension: source.fileExtension, width: media.width, height: media.height, signal });
      });
    });
  }

  /** Finds out what decides the file types of sizes. */
  async examine(picture: OpenPicture): Promise<PictureFacts> {
    const { width, height, extension, folder } = picture;
    await this.run(picture, planPictureExamination({ file: SOURCE, extension, programs: await this.toolbox.programs() }, ANSWER));
    const found = JSON.parse(await readFile(path.join(folder, ANSWER), 'utf8')) as Pick<PictureFacts, 'animated' | 'transparent'>;
    return { width, height, animated: found.animated || extension === 'apng' || extension === 'avis', transparent: found.transparent };
  }

  /** Makes a size; returns the absolute path of its file. */
  async resize(picture: OpenPicture, { width, height, cover }: LadderSize, format: PictureFormat): Promise<string> {
    const output = `size.${format}`;
    const source = { file: SOURCE, extension: picture.extension, programs: await this.toolbox.programs() };
    await this.run(picture, planResizedPicture({ ...source, format, width, height, cover, output }));
    return path.join(picture.folder, output);
  }

  private async run({ folder, signal }: OpenPicture, steps: readonly Step[]): Promise<void> {
    for (const step of steps) {
      const limits = { ...toolLimits(step, { sourceSize: 0, seconds: null }), seconds: MAX_SECONDS, cpuSeconds: MAX_CPU_SECONDS };
      await this.tools.run({ step, folder, limits, signal });
    }
  }
}

/** Runs work on a file, and throws an UnreadablePicture if it fails because of the file. */
async function permanently<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const isPermanent =
      error instanceof Refusal ||
      (error instanceof ToolFailure && PERMANENT.includes(error.reason)) ||
      (error instanceof DomainError && error.code === UNREADABLE);
    throw isPermanent ? new UnreadablePicture(error.message, { cause: error }) : error;
  }
}
