import { mkdir, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../../shared/clock.js';
import { detectImageType } from '../../../shared/picture-header.js';
import { AUDIO_WATERMARK, getConverter, type Invocation, SOURCE, type SoundFile, type Step, WATERMARK } from '../../formats/index.js';
import {
  type DeliverableItem,
  FileDescriptionsRepository,
  type MediaFacts,
  type NewRendition,
  type OriginalReport,
  type StoryboardFacts,
  type StreamingFacts,
} from '../../media/index.js';
import { nameStream } from '../inspection/name-stream.js';
import { type Task, toolLimits } from '../tools/programs.js';
import { ToolFailure } from '../tools/tool-run.js';
import { ToolRunnerService } from '../tools/tool-runner.service.js';
import { ToolboxService } from '../tools/toolbox.service.js';
import { WorkBudget, WorkLimitsService } from '../tools/work-limits.service.js';
import { executionErrors } from '../transcodings/transcodings.errors.js';
import { expectedWork, isLong } from './expected-work.js';
import { MediaProberService, NO_FACTS } from './media-prober.service.js';
import { ObjectDownloadService } from './object-download.service.js';
import { knownSource, planRendition } from './plan-rendition.js';
import { readHead } from './read-picture-header.js';
import type { Recipe } from './recipe-reader.service.js';
import { ResultInspectorService } from './result-inspector.service.js';
import { type InspectedSource, type Inspection, SourceInspectorService } from './source-inspector.service.js';
import { ExpectedLonger } from './transcoding-outcome.js';

/**
 * The longest plausible result: this many times the expected duration, plus seconds. A filter that slows the picture makes the result longer than its
 * original; beyond this limit the program would never end.
 */
const ENDLESS = { factor: 4, seconds: 60 };

/** Programs whose work on a file is the same for every format. */
const SAME_FOR_ALL_FORMATS: ReadonlySet<Step['program']> = new Set(['soffice', 'heif-convert']);
/** A program that ended at its limit of time is started again for the same file only after this time: the machine may have been busy. */
const EXCEEDED_MS = 86_400_000;

/** Reads the progress that ffmpeg prints (`-progress`). */
export class EncodeProgress {
  constructor(
    /** Seconds that the result will have; null: unknown. */
    private readonly expected: number | null,
    private readonly listener: { advance(part: number): void; endless(): void },
  ) {}

  read(line: string): void {
    const [, microseconds] = /^out_time_us=(\d{1,15})$/.exec(line) ?? [];
    if (microseconds === undefined || this.expected === null || this.expected <= 0) return;
    const made = Number(microseconds) / 1e6;
    if (made > this.expected * ENDLESS.factor + ENDLESS.seconds) this.listener.endless();
    else this.listener.advance(Math.min(1, made / this.expected));
  }
}

/** A request to make a rendition from the original in the folder. */
interface MakeRequest {
  readonly recipe: Recipe;
  readonly folder: string;
  readonly signal: AbortSignal;
  /** Seconds that the work may be expected to take in its place; Infinity: as long as it needs. */
  readonly maxExpectedSeconds: number;
  /** Receives the fraction that is done, from 0 to 1. */
  readonly advance: (part: number) => void;
}

/** A rendition that is not in the storage yet, with the other sounds if it is one of several of a film. */
export interface MadeRendition extends MadeFile {
  readonly others: readonly MadeFile[];
  /** What is missing, as a sentence; null: nothing. */
  readonly message: string | null;
  readonly source: OriginalReport;
}

/** A file of a rendition. */
export interface MadeFile {
  /** Absolute path. */
  readonly file: string;
  readonly fileExtension: string;
  readonly facts: MediaFacts;
  /** Null: the format is not for streaming. */
  readonly streaming: NewRendition['streaming'];
  /** Null: the rendition is not a storyboard. */
  readonly storyboard: StoryboardFacts | null;
  /** How viewers find one of several sounds; absent: it is not one of these. */
  readonly track?: NewRendition['track'];
}

/** A rendition that this original does not need; `reason` is a sentence. */
export interface SkippedRendition {
  readonly reason: string;
  readonly source: OriginalReport;
}

/** What the programs of a rendition may use. */
interface Allowed {
  readonly task: Task;
  readonly budget: WorkBudget;
}

type Run = Extract<Invocation, { kind: 'run' }>;

/** Makes renditions on this machine with the programs of their converters. */
@Injectable()
export class RenditionMakerService {
  constructor(
    private readonly downloads: ObjectDownloadService,
    private readonly sources: SourceInspectorService,
    private readonly prober: MediaProberService,
    private readonly results: ResultInspectorService,
    private readonly toolbox: ToolboxService,
    private readonly tools: ToolRunnerService,
    private readonly limits: WorkLimitsService,
    private readonly descriptions: FileDescriptionsRepository,
    private readonly clock: Clock,
  ) {}

  /** Throws an ExpectedLonger if the measured original needs more time than its place is for. */
  async make(request: MakeRequest): Promise<MadeRendition | SkippedRendition> {
    const { recipe, folder, signal } = request;
    const { source: item, format } = recipe;
    const converter = getConverter(format.converter);
    const inspection = new WorkBudget(isLong(recipe) ? this.limits.forLongWork(0) : this.limits.forShortWork());
    const { source, media } = await this.inspect(request, inspection);
    const budget = isLong(recipe) ? new WorkBudget(this.limits.forLongWork(source.duration)) : inspection;
    const seconds = this.limits.expectedSeconds(expectedWork(recipe, source, Number.POSITIVE_INFINITY));
    if (seconds > request.maxExpectedSeconds) throw new ExpectedLonger(seconds);
    const watermark = recipe.watermark ? await this.fetchWatermark(recipe.watermark, request) : null;
    const programs = await this.toolbox.programs();
    const tags = this.results.tagsOf(recipe);
    const invocation = planRendition(recipe, source, { folder, programs, tools: await this.toolbox.cliTools(), watermark, tags });
    if (invocation.kind === 'refused') throw executionErrors.transcoding_refused(invocation.problems.join(' '));
    if (invocation.kind === 'skipped') return { reason: invocation.reason, source: { facts: media, technicalMetadata: null } };
    if (invocation.kind !== 'run') {
      const { width, height, duration, codec, fileExtension } = item;
      const known = { facts: NO_FACTS, technicalMetadata: null };
      return {
        file: path.join(folder, SOURCE),
        fileExtension,
        facts: { width, height, duration, codec },
        streaming: null,
        storyboard: null,
        others: [],
        message: null,
        source: known,
      };
    }
    this.requireNotExceeded(invocation, recipe, budget);
    if (invocation.inputs.audioWatermark !== null && recipe.audioWatermark)
      await this.fetchAsset(recipe.audioWatermark, AUDIO_WATERMARK, request);
    const task = { sourceSize: item.fileSize, seconds: converter.resultSeconds?.(recipe.command, format.settings, source) ?? null };
    await this.run(invocation, { task, budget }, request);
    if (invocation.pdf !== undefined) await this.countPages(request, invocation.pdf);
    const inspect = async (file: string) => await this.results.inspect({ recipe, folder, file, task, signal, budget });
    const { sourceFacts, technicalMetadata, ...result } = await inspect(invocation.output);
    const storyboard = converter.storyboard?.(recipe.command, format.settings, source) ?? null;
    const { sounds = [], message = null } = invocation;
    const made = { ...markSoundApart(result, invocation), ...(sounds[0] && soundOf(result, sounds[0], 0)), storyboard };
    const others: MadeFile[] = [];
    for (const [index, file] of sounds.entries())
      if (index > 0) others.push({ ...soundOf(await inspect(file.output), file, index), storyboard: null });
    return { ...made, others, message, source: { facts: sourceFacts ?? media, technicalMetadata } };
  }

  /** Inspects the original, unless the converter accepts any file. What an inspection of only a part of a film could not measure is stored. */
  private async inspect({ recipe, folder, signal }: MakeRequest, budget: WorkBudget): Promise<Inspection> {
    const { format, source, fileDescription } = recipe;
    const { type: mediaType, fileExtension } = source;
    const known = knownSource(recipe);
    if (known && getConverter(format.converter).source === 'any') return { source: known, media: NO_FACTS };
    const found = await this.sources.inspect({
      mediaType,
      fileExtension,
      folder,
      file: SOURCE,
      signal,
      budget,
      described: fileDescription,
    });
    if (found.times && fileDescription?.media) await this.descriptions.complete(source, { times: found.times }, found.media.duration);
    return found;
  }

  /** Records the pages of a document that the inspection did not count. */
  private async countPages({ recipe, folder, signal }: MakeRequest, file: string): Promise<void> {
    if (recipe.fileDescription?.pages !== undefined) return;
    const pages = (await this.prober.measurePage({ folder, file, signal }))?.pages;
    if (pages !== undefined) await this.descriptions.complete(recipe.source, { pages }, null);
  }

  /** Throws what a program said of this file that ended at its limit, so that the same work is not started again for another format. */
  private requireNotExceeded({ steps }: Run, { fileDescription }: Recipe, { limits }: WorkBudget): void {
    const { exceeded } = fileDescription ?? {};
    if (!exceeded || exceeded.at + EXCEEDED_MS < this.clock.now().getTime() || exceeded.cpuSeconds < limits.cpuSeconds) return;
    if (steps.some(({ program }) => program === exceeded.program)) throw new ToolFailure('time', exceeded.message, '');
  }

  private async recordExceeded(
    { message }: ToolFailure,
    program: Step['program'] | undefined,
    { recipe, budget }: { readonly recipe: Recipe; readonly budget: WorkBudget },
  ): Promise<void> {
    if (typeof program !== 'string' || !SAME_FOR_ALL_FORMATS.has(program)) return;
    const exceeded = { program, message, cpuSeconds: budget.limits.cpuSeconds, at: this.clock.now().getTime() };
    await this.descriptions.complete(recipe.source, { exceeded }, null);
  }

  private async fetchWatermark(asset: DeliverableItem, request: MakeRequest): Promise<{ readonly fileExtension: string }> {
    await this.fetchAsset(asset, WATERMARK, request);
    const fileExtension = detectImageType(await readHead(path.join(request.folder, WATERMARK)));
    if (fileExtension !== null) return { fileExtension };
    throw executionErrors.watermark_missing(`The watermark asset ${asset.mediaContainerId} is not a supported image.`);
  }

  private async fetchAsset(asset: DeliverableItem, name: string, { folder, signal }: MakeRequest) {
    if (await this.downloads.fetch({ object: asset, file: path.join(folder, name), signal })) return;
    throw executionErrors.watermark_missing(`The file of the watermark asset ${asset.mediaContainerId} no longer exists in the storage.`);
  }

  private async run({ inputs, files, steps }: Run, { task, budget }: Allowed, request: MakeRequest): Promise<void> {
    const { folder, signal, advance, recipe } = request;
    if (inputs.source !== SOURCE) await rename(path.join(folder, SOURCE), path.join(folder, inputs.source));
    for (const { name, content } of files) {
      await mkdir(path.dirname(path.join(folder, name)), { recursive: true });
      await writeFile(path.join(folder, name), content);
    }
    const endless = new AbortController();
    const tooLong = () => endless.abort(executionErrors.size_limit_exceeded('The result is far longer than the original.'));
    const progress = new EncodeProgress(task.seconds, { advance, endless: tooLong });
    let program: Step['program'] | undefined;
    try {
      for (const [index, step] of steps.entries()) {
        program = step.program;
        await this.tools.run({
          ...{ step, folder, budget, limits: toolLimits(step, task), signal: AbortSignal.any([signal, endless.signal]) },
          ...(step.program === 'ffmpeg' && { onLine: (line: string) => progress.read(line) }),
        });
        advance((index + 1) / steps.length);
      }
    } catch (error) {
      if (!(error instanceof ToolFailure)) throw error;
      if (error.reason === 'time') await this.recordExceeded(error, program, { recipe, budget });
      if (error.reason !== 'exit') throw error;
      await this.downloads.requireRoom(folder, 0);
      const converter = getConverter(recipe.format.converter);
      const unusable = program && converter.explainFailure?.(program, error.log);
      if (unusable) throw executionErrors[unusable.code](unusable.reason);
      const { type: mediaType, fileExtension } = recipe.source;
      const source: InspectedSource = { folder, file: inputs.source, mediaType, fileExtension, signal };
      throw converter.result === 'technicalMetadata' ? await this.sources.unreadable(source) : error;
    }
  }
}

type Inspected = Pick<MadeFile, 'file' | 'fileExtension' | 'facts' | 'streaming'>;

const withFacts = (
  streaming: NewRendition['streaming'],
  facts: Pick<StreamingFacts, 'sound' | 'isSoundApart'>,
): NewRendition['streaming'] => streaming && { ...streaming, facts: { ...streaming.facts, ...facts } };

const markSoundApart = (file: Inspected, { isSoundApart = false }: Run): Inspected =>
  isSoundApart ? { ...file, streaming: withFacts(file.streaming, { isSoundApart: true }) } : file;

/** One of several sounds of a film; the first is the default. */
function soundOf({ file, fileExtension, facts, streaming }: Inspected, { sound }: SoundFile, index: number): Omit<MadeFile, 'storyboard'> {
  const track = { ...nameStream(sound, { noun: 'Sound', number: index + 1, note: NOTES[sound.content] }), isDefault: index === 0 };
  return { file, fileExtension, facts, streaming: withFacts(streaming, { sound: sound.content }), track };
}

const NOTES = { main: null, commentary: 'commentary', description: 'audio description' } as const;
