import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Injectable } from '@nestjs/common';
import { Config } from '../../../shared/config/index.js';
import { buildExiftoolStep, buildMetadataTags } from '../../formats/index.js';
import { ToolRunner } from '../tools/tool-runner.js';
import type { Recipe } from './recipe-reader.js';
import { type Task, toolLimits } from './tool-limits.js';

export interface PictureToDescribe {
  readonly recipe: Recipe;
  readonly folder: string;
  /** The picture's name in it. */
  readonly file: string;
  readonly task: Task;
  readonly signal: AbortSignal;
}

/** Writes into pictures what belongs there, and takes out everything else (specification, Metadata rules 4 to 7). */
@Injectable()
export class PictureMetadata {
  constructor(
    private readonly tools: ToolRunner,
    private readonly config: Config,
  ) {}

  async write({ recipe, folder, file, task, signal }: PictureToDescribe): Promise<void> {
    const { format, description, customer } = recipe;
    const { tags } = buildMetadataTags({
      settings: format.settings,
      item: { ...description, license: description.license && { ...description.license } },
      customer,
      serviceName: this.config.serviceName,
    });
    const { step, file: written } = buildExiftoolStep(tags, file);
    await writeFile(path.join(folder, written.name), written.content, { flag: 'wx' });
    await this.tools.run({ step, folder, limits: toolLimits(step, task), signal });
  }
}
