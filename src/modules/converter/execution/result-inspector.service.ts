import { lstat, open, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Injectable } from '@nestjs/common';
import { Config } from '../../../shared/config/index.js';
import { bytesOfDocument, MAX_DOCUMENT_BYTES } from '../../../shared/validation/index.js';
import { type BuiltMetadata, buildExiftoolStep, buildMetadataTags, getConverter, isStreaming, parseProbe } from '../../formats/index.js';
import type { MediaFacts, NewRendition } from '../../media/index.js';
import { type Task, toolLimits } from '../tools/programs.js';
import { ToolRunnerService } from '../tools/tool-runner.service.js';
import { ToolboxService } from '../tools/toolbox.service.js';
import type { WorkBudget } from '../tools/work-limits.service.js';
import { executionErrors } from '../transcodings/transcodings.errors.js';
import { MediaProberService, mediaFacts, NO_FACTS } from './media-prober.service.js';
import { MalformedFile } from './mp4-boxes.js';
import { readProbeAnswer } from './read-probe-answer.js';
import { readStreamingFile } from './read-streaming-file.js';
import type { Recipe } from './recipe-reader.service.js';
import { isMadePicture, kindOf } from './rendition-kinds.js';

/** The result of a program, in the folder. */
interface MadeByProgram {
  readonly recipe: Recipe;
  readonly folder: string;
  readonly file: string;
  readonly task: Task;
  readonly signal: AbortSignal;
  readonly budget: WorkBudget;
}

interface InspectedResult {
  /** Absolute path. */
  readonly file: string;
  readonly fileExtension: string;
  readonly facts: MediaFacts;
  /** Null: the format is not for streaming. */
  readonly streaming: NewRendition['streaming'];
  /** Facts about the original, if the result contains them; else null. */
  readonly sourceFacts: MediaFacts | null;
  readonly technicalMetadata: object | null;
}

/** Checks and measures the results of programs, and writes metadata into images. */
@Injectable()
export class ResultInspectorService {
  constructor(
    private readonly config: Config,
    private readonly prober: MediaProberService,
    private readonly toolbox: ToolboxService,
    private readonly tools: ToolRunnerService,
  ) {}

  /** Checks and measures the result of a program. Throws `result_unreadable`. */
  async inspect(made: MadeByProgram): Promise<InspectedResult> {
    const { recipe, folder } = made;
    const file = path.join(folder, made.file);
    const fileExtension = path.extname(made.file).slice(1);
    await requireContent(file);
    if (getConverter(recipe.format.converter).result === 'technicalMetadata')
      return await this.inspectTechnicalMetadata(file, fileExtension);
    const written = isMadePicture(fileExtension) ? this.writeMetadata(made) : Promise.resolve();
    // Measured while exiftool runs, which replaces the file in one step. Both must have ended before the folder is removed.
    const [facts, end] = await Promise.allSettled([this.measure(made, fileExtension), written]);
    if (facts.status === 'rejected') throw facts.reason;
    if (end.status === 'rejected') throw end.reason;
    const streaming = isStreaming(recipe.command) ? await readSegments(file) : null;
    return { file, fileExtension, facts: facts.value, streaming, sourceFacts: null, technicalMetadata: null };
  }

  /** The rendition is the output of ffprobe, which describes the original. */
  private async inspectTechnicalMetadata(file: string, fileExtension: string): Promise<InspectedResult> {
    const technicalMetadata = await readTechnicalMetadata(file);
    const sourceFacts = mediaFacts(parseProbe(JSON.stringify(technicalMetadata)));
    return { file, fileExtension, facts: NO_FACTS, streaming: null, sourceFacts, technicalMetadata };
  }

  /** Measures a result. Files whose kind is not measured, and results of the operator's programs that cannot be measured, have no facts. */
  private async measure({ recipe, folder, file, signal, budget }: MadeByProgram, fileExtension: string): Promise<MediaFacts> {
    const { measured } = kindOf(fileExtension, recipe.source.type);
    const mayBeAny = getConverter(recipe.format.converter).result === 'any';
    if (measured === null || (mayBeAny && !(await this.toolbox.programs()).includes('ffprobe'))) return NO_FACTS;
    const probed = await this.prober.probe({ folder, file, ...measured, signal, budget });
    const facts = probed && mediaFacts(probed);
    if (facts?.codec) return facts;
    if (mayBeAny) return NO_FACTS;
    throw executionErrors.result_unreadable('The result of the program cannot be read.');
  }

  /** The metadata that is written into an image (specification, Metadata rules 4 to 7). */
  tagsOf({ format: { settings }, description, customer }: Recipe): BuiltMetadata['tags'] {
    const item = { ...description, license: description.license && { ...description.license } };
    return buildMetadataTags({ settings, item, customer, serviceName: this.config.serviceName }).tags;
  }

  /**
   * Writes the metadata of the format into an image, and removes all other metadata. If exiftool is not installed, sharp has already done so
   * (requirementsOf).
   */
  private async writeMetadata({ recipe, folder, file, task, signal, budget }: MadeByProgram): Promise<void> {
    if (!(await this.toolbox.programs()).includes('exiftool') && canBeBySharp(recipe)) return;
    const tags = this.tagsOf(recipe);
    const { step, file: written } = buildExiftoolStep(tags, file);
    await writeFile(path.join(folder, written.name), written.content, { flag: 'wx' });
    await this.tools.run({ step, folder, limits: toolLimits(step, task), signal, budget });
  }
}

const canBeBySharp = ({ format }: Recipe): boolean => getConverter(format.converter).findSharpObstacles !== undefined;

/** Throws `result_unreadable` if there is no regular file or it is empty. */
async function requireContent(file: string): Promise<void> {
  const found = await lstat(file).catch(() => null);
  if (found?.isFile() && found.size > 0) return;
  throw executionErrors.result_unreadable(found?.isFile() ? 'The program made an empty file.' : 'The program made no file.');
}

/** Reads what playlists state about a streaming rendition. Throws `result_unreadable`. */
async function readSegments(name: string): Promise<NewRendition['streaming']> {
  const file = await open(name);
  try {
    const { size } = await file.stat();
    const read = async (position: number, length: number): Promise<Buffer> => {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, position);
      if (bytesRead < length) throw new MalformedFile('it ends too early');
      return buffer;
    };
    return await readStreamingFile({ size, read });
  } catch (error) {
    if (error instanceof MalformedFile) throw executionErrors.result_unreadable(`The result has no readable segments: ${error.message}.`);
    throw error;
  } finally {
    await file.close();
  }
}

interface Written {
  readonly format?: Record<string, unknown>;
}

/** Returns the output of ffprobe without the path of the file, and writes it back without the path. */
export async function readTechnicalMetadata(file: string): Promise<object> {
  const written = JSON.parse(await readProbeAnswer(file), withoutZeros) as Written;
  const { filename: _, ...format } = written.format ?? {};
  const metadata = { ...written, format };
  await writeFile(file, `${JSON.stringify(metadata, null, 2)}\n`);
  return limitSize(metadata);
}

/**
 * Removes chapters, tags and streams until the document is small enough to be stored; the rendition keeps all of them. The author of the file
 * determines how many there are.
 */
function limitSize({ format, ...written }: Written): object {
  const { tags: _, ...plain } = format ?? {};
  const candidates = [
    { ...written, format },
    { ...written, chapters: [], format },
    { streams: [], chapters: [], format: plain },
  ];
  return candidates.find((candidate) => bytesOfDocument(candidate) <= MAX_DOCUMENT_BYTES) ?? {};
}

/** PostgreSQL's jsonb cannot store the character U+0000. */
const withoutZeros = (_: string, value: unknown): unknown => (typeof value === 'string' ? value.replaceAll('\0', '') : value);
