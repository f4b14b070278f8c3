import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { Injectable } from '@nestjs/common';
import { buildProbe, displaySize, type Measured } from '../../formats/index.js';
import type { MediaFacts } from '../../media/index.js';
import { PROBE_LIMITS } from '../tools/programs.js';
import { ToolFailure } from '../tools/tool-run.js';
import { ToolRunnerService } from '../tools/tool-runner.service.js';
import { type ProbedMedia, parseProbe } from './parse-probe.js';
import { readPictureHeader } from './read-picture-header.js';

export const NO_FACTS: MediaFacts = { width: null, height: null, duration: null, codec: null };

/** The facts that a media item stores about its file. */
export function mediaFacts(probed: ProbedMedia, holds: 'media' | 'image'): MediaFacts {
  const size = displaySize(probed);
  return {
    width: size?.width ?? null,
    height: size?.height ?? null,
    duration: holds === 'image' ? null : probed.duration,
    codec: probed.videoCodec ?? probed.audioCodec,
  };
}

interface ProbeRequest extends Measured {
  /** The folder of the transcoding. */
  readonly folder: string;
  readonly signal: AbortSignal;
}

const ANSWER = 'probe.json';

/** Measures files: most images by their header, everything else with ffprobe, which may read this one file only. */
@Injectable()
export class MediaProberService {
  constructor(private readonly tools: ToolRunnerService) {}

  /** Null: the file cannot be read as what it should be. */
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
