import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../shared/auth/index.js';
import { DomainError, generalErrors } from '../../../shared/errors.js';
import { invalidInput } from '../../../shared/validation/index.js';
import {
  commandOf,
  describeMissing,
  type ExplainedStep,
  explainSteps,
  type Format,
  FormatAvailabilityService,
  FormatReaderService,
  type ImageEngine,
  type Invocation,
  MissingProgram,
  type SourceFacts,
  type VisibleFormats,
} from '../../formats/index.js';
import { MediaReaderRepository } from '../../media/index.js';
import { knownSource, planRendition } from '../execution/plan-rendition.js';
import { type Recipe, RecipeReaderService, type RecipeSource } from '../execution/recipe-reader.service.js';
import { ResultInspectorService } from '../execution/result-inspector.service.js';
import { ConverterWorkersService } from '../tools/converter-workers.service.js';
import { KNOWN_PROGRAMS } from '../tools/programs.js';
import { transcodingRequestErrors } from '../transcodings/transcodings.errors.js';

/** How a format is made of an original. */
export interface ExplainedMedia {
  readonly mediaId: number;
  readonly result: 'made' | 'unchanged' | 'skipped' | 'refused' | 'waiting' | 'unknown';
  /** A sentence; null: nothing has to be said. */
  readonly reason: string | null;
  readonly steps: readonly ExplainedStep[];
}
type Explanation = Omit<ExplainedMedia, 'mediaId'>;

/** A format, what makes its images, and how it is made of an original. */
export interface ExplainedFormat {
  readonly format: Format;
  readonly visible: VisibleFormats;
  /** Null: nothing makes its images, or it is not an image format. */
  readonly engine: ImageEngine | null;
  /** Null: only the format is explained. */
  readonly media: ExplainedMedia | null;
}

/** Stands for the folder of a transcoding, whose name is random. */
const FOLDER = '/transcoding';
const ALL_PROGRAMS = Object.keys(KNOWN_PROGRAMS);

/** Explains formats, and how they are made of an original: by the same plan as transcodings, from the stored description of the original. */
@Injectable()
export class FormatExplanationsService {
  constructor(
    private readonly formats: FormatReaderService,
    private readonly availability: FormatAvailabilityService,
    private readonly media: MediaReaderRepository,
    private readonly recipes: RecipeReaderService,
    private readonly results: ResultInspectorService,
    private readonly workers: ConverterWorkersService,
  ) {}

  /**
   * Explains a format; `mediaId`: the media item of an original, of which it need not have been made. Throws `not_found`, `original_missing`, and
   * `validation_failed` for a rendition, or for an original of a type that the format is not made from.
   */
  async explain({ customerId }: Caller, id: number, mediaId: number | null): Promise<ExplainedFormat> {
    const visible = await this.formats.visibleTo(customerId);
    const format = visible.byId.get(id);
    if (!format) throw generalErrors.not_found(`There is no format ${id}.`);
    const engine = await this.availability.findEngine(format, visible);
    if (mediaId === null) return { format, visible, engine, media: null };
    const mediaContainerId = await this.requireOriginal(customerId, mediaId, format);
    const explanation = await this.explainMedia({ customerId, mediaContainerId, sourceMediaId: mediaId, formatId: id }, visible);
    return { format, visible, engine, media: { mediaId, ...explanation } };
  }

  /** Returns the container of an original that the format is made from. */
  private async requireOriginal(customerId: number, mediaId: number, { id, settings }: Format): Promise<number> {
    const mediaContainerId = await this.media.findContainerOf(customerId, mediaId);
    const [container] = mediaContainerId === null ? [] : await this.media.findOriginals(customerId, [mediaContainerId]);
    if (!container) throw generalErrors.not_found(`There is no media item ${mediaId}.`);
    const { originalId, type } = container;
    const refuse = (code: string, message: string) => invalidInput({ path: 'mediaId', code, message });
    const mediaTypes: readonly string[] = settings.mediaTypes ?? [];
    if (!mediaTypes.includes(type)) throw refuse('media_type', `the format ${id} is made from ${mediaTypes.join(', ')}, not from ${type}`);
    if (originalId === null) {
      throw transcodingRequestErrors.original_missing(`The original of the media container ${container.id} has not been uploaded.`);
    }
    if (originalId !== mediaId) throw refuse('not_original', `must be the original of its media container, which is ${originalId}`);
    return container.id;
  }

  private async explainMedia(source: RecipeSource, visible: VisibleFormats): Promise<Explanation> {
    try {
      const recipe = await this.recipes.read(source);
      const facts = knownSource(recipe);
      return facts === null ? explainUnknown(recipe) : await this.explainPlan(recipe, facts, visible);
    } catch (error) {
      if (error instanceof DomainError && error.kind !== 'unavailable') return { result: 'refused', reason: error.detail, steps: [] };
      throw error;
    }
  }

  private async explainPlan(recipe: Recipe, facts: SourceFacts, visible: VisibleFormats): Promise<Explanation> {
    const plan = await this.plan(recipe, facts);
    if (plan instanceof MissingProgram) return { result: 'waiting', reason: describeMissing([plan.program]), steps: [] };
    if (plan.kind === 'refused') return { result: 'refused', reason: plan.problems.join(' '), steps: [] };
    if (plan.kind === 'skipped') return { result: 'skipped', reason: plan.reason, steps: [] };
    if (plan.kind === 'original') return { result: 'unchanged', reason: 'The format is the original itself.', steps: [] };
    if (plan.kind === 'copy') return { result: 'unchanged', reason: 'The rendition is a copy of the original.', steps: [] };
    const { parameters } = commandOf(recipe.format, visible.byId.get(recipe.format.blueprintId ?? 0) ?? null);
    return { result: 'made', reason: plan.message ?? missingTimes(recipe), steps: explainSteps(plan, parameters) };
  }

  /** Plans for the first worker that can make the rendition. While no worker runs, all programs count as installed. */
  private async plan(recipe: Recipe, facts: SourceFacts): Promise<Invocation | MissingProgram> {
    const workers = (await this.workers.able()).map(({ programs }) => programs);
    const watermark = recipe.watermark && { fileExtension: await this.typeOf(recipe.watermark) };
    const tags = this.results.tagsOf(recipe);
    // The arguments of operators' tools are not shown.
    const tools = [{ name: String(recipe.command.tool ?? ''), argv: [] }];
    let missing: MissingProgram | undefined;
    for (const programs of workers.length > 0 ? workers : [ALL_PROGRAMS]) {
      try {
        return planRendition(recipe, facts, { folder: FOLDER, programs, tools, watermark, tags });
      } catch (error) {
        if (!(error instanceof MissingProgram)) throw error;
        missing = error;
      }
    }
    return missing ?? new MissingProgram('sharp');
  }

  private async typeOf({ id, fileExtension }: NonNullable<Recipe['watermark']>): Promise<string> {
    return (await this.media.findFileDescription(id))?.content ?? fileExtension;
  }
}

function explainUnknown({ fileDescription }: Recipe): Explanation {
  if (fileDescription === null) return { result: 'unknown', reason: 'The original is being inspected. Ask again in a minute.', steps: [] };
  const { problem, problemCode } = fileDescription;
  if (problem !== null && problemCode === 'cut_off')
    return { result: 'unknown', reason: `${problem} Each transcoding tries it.`, steps: [] };
  if (problem !== null) return { result: 'refused', reason: problem, steps: [] };
  if (fileDescription.content === 'svg') return { result: 'refused', reason: 'The original is an SVG drawing, not a picture.', steps: [] };
  const reason = 'The original was too large to be measured, or a program was missing then. Each transcoding measures it.';
  return { result: 'unknown', reason, steps: [] };
}

/** What the filters of a film still depend on, as a sentence; null: nothing. */
const missingTimes = ({ fileDescription }: Recipe): string | null =>
  fileDescription?.media && !fileDescription.times
    ? 'The first transcoding measures when picture and sound begin and end, and may hold a picture or add silence.'
    : null;
