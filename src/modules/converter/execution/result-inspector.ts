import path from 'node:path';
import { Injectable } from '@nestjs/common';
import type { MediaFacts } from '../../media/index.js';
import { Toolbox } from '../tools/toolbox.js';
import { executionErrors } from './execution.errors.js';
import { measureMade } from './made-file.js';
import { PictureMetadata } from './picture-metadata.js';
import { mediaFacts, NO_FACTS } from './probe/media-facts.js';
import { MediaProber } from './probe/media-prober.js';
import { parseProbe } from './probe/parse-probe.js';
import type { Recipe } from './recipe-reader.js';
import { isMadePicture, kindOf } from './rendition-kinds.js';
import { readTechnicalMetadata } from './technical-metadata.js';
import type { Task } from './tool-limits.js';

/** What a program made in the folder. */
export interface MadeByProgram {
  readonly recipe: Recipe;
  readonly folder: string;
  readonly file: string;
  readonly task: Task;
  readonly signal: AbortSignal;
}

export interface InspectedResult {
  /** Absolute. */
  readonly file: string;
  readonly fileExtension: string;
  readonly facts: MediaFacts;
  /** Of the original, when the result tells them; else null. */
  readonly sourceFacts: MediaFacts | null;
  readonly technicalMetadata: object | null;
}

/** Looks at what programs made, and writes into pictures what belongs there. */
@Injectable()
export class ResultInspector {
  constructor(
    private readonly metadata: PictureMetadata,
    private readonly prober: MediaProber,
    private readonly toolbox: Toolbox,
  ) {}

  /** Throws `result_unreadable`. */
  async inspect(made: MadeByProgram): Promise<InspectedResult> {
    const { recipe, folder } = made;
    const file = path.join(folder, made.file);
    const fileExtension = path.extname(made.file).slice(1);
    await measureMade(file);
    if (recipe.format.converter === 'ffprobe') return await this.inspectAnswer(file, fileExtension);
    const written = isMadePicture(fileExtension) ? this.metadata.write(made) : Promise.resolve();
    // At the same time: exiftool puts its file in place of the other in one step. Both have ended before the folder goes.
    const [facts, end] = await Promise.allSettled([this.measure(made, fileExtension), written]);
    if (facts.status === 'rejected') throw facts.reason;
    if (end.status === 'rejected') throw end.reason;
    return { file, fileExtension, facts: facts.value, sourceFacts: null, technicalMetadata: null };
  }

  /** What ffprobe says is the rendition, and what it says it of is the original. */
  private async inspectAnswer(file: string, fileExtension: string): Promise<InspectedResult> {
    const technicalMetadata = await readTechnicalMetadata(file);
    const sourceFacts = mediaFacts(parseProbe(JSON.stringify(technicalMetadata)), 'media');
    return { file, fileExtension, facts: NO_FACTS, sourceFacts, technicalMetadata };
  }

  /** What the operator's programs make may be of a kind that ffprobe does not know, and there may be no ffprobe. */
  private async measure({ recipe, folder, file, signal }: MadeByProgram, fileExtension: string): Promise<MediaFacts> {
    const { measured } = kindOf(fileExtension, recipe.source.type);
    const isOperators = recipe.format.converter === 'cli';
    if (measured === null || (isOperators && !(await this.toolbox.programs()).includes('ffprobe'))) return NO_FACTS;
    const probed = await this.prober.probe({ folder, file, ...measured, signal });
    const facts = probed && mediaFacts(probed, measured.holds);
    if (facts?.codec) return facts;
    if (isOperators) return NO_FACTS;
    throw executionErrors.result_unreadable('What the program made cannot be read.');
  }
}
