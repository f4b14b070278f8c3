import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { Injectable } from '@nestjs/common';
import { buildProbe, type Measured } from '../../../formats/index.js';
import { ToolFailure } from '../../tools/run-request.js';
import { ToolRunner } from '../../tools/tool-runner.js';
import { PROBE_LIMITS } from '../tool-limits.js';
import { type ProbedMedia, parseProbe } from './parse-probe.js';
import { readPictureHeader } from './read-picture-header.js';

export interface ProbeRequest extends Measured {
  /** The job's folder. */
  readonly folder: string;
  readonly signal: AbortSignal;
}

const ANSWER = 'probe.json';

/** Measures files: most pictures by their header, everything else with ffprobe, which may read nothing but the one file. */
@Injectable()
export class MediaProber {
  constructor(private readonly tools: ToolRunner) {}

  /** Null: it cannot be read as what it is said to hold. */
  async probe({ folder, signal, ...measured }: ProbeRequest): Promise<ProbedMedia | null> {
    const { file, holds, demuxer } = measured;
    const header = holds === 'image' ? await readPictureHeader(path.join(folder, file), demuxer) : null;
    if (header) return header;
    try {
      await this.tools.run({ step: buildProbe(measured, ANSWER), folder, limits: PROBE_LIMITS, signal });
    } catch (error) {
      if (error instanceof ToolFailure && !['killed', 'missing'].includes(error.reason)) return null;
      throw error;
    }
    return parseProbe(await readFile(path.join(folder, ANSWER), 'utf8'));
  }
}
