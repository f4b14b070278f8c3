import { mkdir, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Injectable } from '@nestjs/common';
import {
  AUDIO_WATERMARK,
  buildInvocation,
  detectImageType,
  type Invocation,
  outputLength,
  SOURCE,
  type SourceFacts,
  WATERMARK,
} from '../../formats/index.js';
import type { DeliverableItem, MediaFacts } from '../../media/index.js';
import { ToolFailure } from '../tools/run-request.js';
import { ToolRunner } from '../tools/tool-runner.js';
import { Toolbox } from '../tools/toolbox.js';
import { EncodeProgress } from './encode-progress.js';
import { executionErrors } from './execution.errors.js';
import type { SourceReport } from './job-outcome.js';
import { ObjectDownload } from './object-download.js';
import { NO_FACTS } from './probe/media-facts.js';
import { readHead } from './probe/read-head.js';
import type { Recipe } from './recipe-reader.js';
import { isMadePicture } from './rendition-kinds.js';
import { ResultInspector } from './result-inspector.js';
import { type InspectedSource, type Inspection, SourceInspector, UNKNOWN_FACTS } from './source/source-inspector.js';
import { type Task, toolLimits } from './tool-limits.js';

/** What is to be made, of an original that lies in the folder. */
export interface MakeRequest {
  readonly recipe: Recipe;
  readonly folder: string;
  readonly signal: AbortSignal;
  /** Hears which part of it is done. */
  readonly advance: (part: number) => void;
}

/** A rendition before it is in the storage. */
export interface MadeFile {
  /** Absolute. */
  readonly file: string;
  readonly fileExtension: string;
  readonly facts: MediaFacts;
  readonly source: SourceReport;
}

type Run = Extract<Invocation, { kind: 'run' }>;

/** Makes the rendition on this machine, with the programs that it takes. */
@Injectable()
export class RenditionMaker {
  constructor(
    private readonly downloads: ObjectDownload,
    private readonly sources: SourceInspector,
    private readonly results: ResultInspector,
    private readonly toolbox: Toolbox,
    private readonly tools: ToolRunner,
  ) {}

  async make(request: MakeRequest): Promise<MadeFile> {
    const { recipe, folder, signal } = request;
    const { source: item, format } = recipe;
    const { source, media } = await this.inspect(request);
    const watermark = recipe.watermark ? await this.fetchWatermark(recipe.watermark, request) : null;
    const invocation = buildInvocation({
      converter: format.converter,
      command: recipe.command,
      settings: format.settings,
      customerTimecode: recipe.customer.burnTimecode,
      source,
      watermark,
      folder,
      tools: await this.toolbox.cliTools(),
    });
    if (invocation.kind === 'refused') throw executionErrors.transcoding_refused(invocation.problems.join(' '));
    if (invocation.kind !== 'run') {
      const { width, height, duration, codec, fileExtension } = item;
      const known = { facts: NO_FACTS, technicalMetadata: null };
      return { file: path.join(folder, SOURCE), fileExtension, facts: { width, height, duration, codec }, source: known };
    }
    if (invocation.inputs.audioWatermark !== null && recipe.audioWatermark)
      await this.fetchAsset(recipe.audioWatermark, AUDIO_WATERMARK, request);
    const task = { sourceSize: item.fileSize, seconds: secondsOf(recipe, source) };
    await this.run(invocation, task, request);
    const result = await this.results.inspect({ recipe, folder, file: invocation.output, task, signal });
    return { ...result, source: { facts: result.sourceFacts ?? media, technicalMetadata: result.technicalMetadata } };
  }

  /** Copies are made of anything; what the operator's programs take is theirs to say, and ffprobe says itself what it thinks of it. */
  private async inspect({ recipe, folder, signal }: MakeRequest): Promise<Inspection> {
    const { format, source } = recipe;
    const facts = { mediaType: source.type, fileExtension: source.fileExtension };
    if (['ffmpeg', 'imagemagick', 'officeDocument'].includes(format.converter)) {
      return await this.sources.inspect({ ...facts, folder, file: SOURCE, signal });
    }
    return { source: { ...facts, ...UNKNOWN_FACTS }, media: NO_FACTS };
  }

  private async fetchWatermark(asset: DeliverableItem, request: MakeRequest): Promise<{ readonly fileExtension: string }> {
    await this.fetchAsset(asset, WATERMARK, request);
    const fileExtension = detectImageType(await readHead(path.join(request.folder, WATERMARK)));
    if (fileExtension !== null) return { fileExtension };
    throw executionErrors.watermark_missing(`The watermark asset ${asset.mediaContainerId} is no picture that is taken.`);
  }

  private async fetchAsset(asset: DeliverableItem, name: string, { folder, signal }: MakeRequest) {
    if (await this.downloads.fetch({ object: asset, file: path.join(folder, name), signal })) return;
    throw executionErrors.watermark_missing(`The file of the watermark asset ${asset.mediaContainerId} is gone from the storage.`);
  }

  private async run({ inputs, files, steps }: Run, task: Task, request: MakeRequest): Promise<void> {
    const { folder, signal, advance, recipe } = request;
    if (inputs.source !== SOURCE) await rename(path.join(folder, SOURCE), path.join(folder, inputs.source));
    for (const { name, content } of files) {
      await mkdir(path.dirname(path.join(folder, name)), { recursive: true });
      await writeFile(path.join(folder, name), content);
    }
    const endless = new AbortController();
    const tooLong = () => endless.abort(executionErrors.size_limit_exceeded('The result became far longer than the original.'));
    const progress = new EncodeProgress(task.seconds, { advance, endless: tooLong });
    try {
      for (const step of steps) {
        await this.tools.run({
          ...{ step, folder, limits: toolLimits(step, task), signal: AbortSignal.any([signal, endless.signal]) },
          ...(step.program === 'ffmpeg' && { onLine: (line: string) => progress.read(line) }),
        });
      }
    } catch (error) {
      if (!(error instanceof ToolFailure) || error.reason !== 'exit') throw error;
      await this.downloads.requireRoom(folder, 0);
      const { type: mediaType, fileExtension } = recipe.source;
      const source: InspectedSource = { folder, file: inputs.source, mediaType, fileExtension, signal };
      throw recipe.format.converter === 'ffprobe' ? await this.sources.unreadable(source) : error;
    }
  }
}

/** How much ffmpeg makes; null: somebody else makes it, or nobody knows. */
function secondsOf({ format, command }: Recipe, source: SourceFacts): number | null {
  if (format.converter !== 'ffmpeg') return null;
  const { settings } = format;
  return isMadePicture(settings.filetype ?? '') && settings.filetype !== 'gif' ? 1 : outputLength(command, settings, source);
}
