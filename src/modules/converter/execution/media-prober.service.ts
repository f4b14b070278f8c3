import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { Injectable } from '@nestjs/common';
import { detectImageType } from '../../../shared/picture-header.js';
import {
  buildDescription,
  buildPacketProbe,
  buildProbe,
  buildProfileProbe,
  buildSharpProbe,
  displaySize,
  IMAGE_FACTS,
  lengthOf,
  type Measured,
  PacketTimes,
  type ProbedMedia,
  parseProbe,
  readColorProfile,
  readPageCount,
  readPageSize,
  sharpTypeOf,
} from '../../formats/index.js';
import type { ColorProfile, MeasuredTimes, MediaFacts, MediaStreams } from '../../media/index.js';
import { readStreams } from '../inspection/read-streams.js';
import { PROBE_LIMITS, toolLimits } from '../tools/programs.js';
import { type RunRequest, ToolFailure, type ToolLimits } from '../tools/tool-run.js';
import { ToolRunnerService } from '../tools/tool-runner.service.js';
import type { WorkBudget } from '../tools/work-limits.service.js';
import { IMAGE_CODECS, readHead, readPictureHeader } from './read-picture-header.js';
import { readProbeAnswer } from './read-probe-answer.js';

export const NO_FACTS: MediaFacts = { width: null, height: null, duration: null, codec: null };

/** The facts that a media item stores about its file. `times`: when its streams play, if that was measured. */
export function mediaFacts(probed: ProbedMedia, times: readonly MeasuredTimes[] = []): MediaFacts {
  const size = displaySize(probed);
  return {
    width: size?.width ?? null,
    height: size?.height ?? null,
    duration: lengthOf(probed, times),
    codec: probed.videoCodec ?? probed.audioCodec,
  };
}

interface ProbeRequest extends Measured {
  /** The work folder of the transcoding, which contains the file. */
  readonly folder: string;
  readonly signal: AbortSignal;
  /** What the transcoding has left; absent: there are only the limits of a measurement. */
  readonly budget?: WorkBudget | undefined;
}

/** A film whose streams are measured. */
interface TimesRequest extends Pick<ProbeRequest, 'folder' | 'file' | 'signal' | 'budget'> {
  readonly probed: ProbedMedia;
  /** Absent: those of a transcoding. */
  readonly limits?: ToolLimits;
}

/** Reading all packets takes a few seconds for a gigabyte; a film of a terabyte on a slow disk does without. */
const PACKET_LIMITS = { ...PROBE_LIMITS, seconds: 600, cpuSeconds: 300 };

/** A description reads the start of a file, or all packets of one of at most 64 MiB, and each customer's files wait for each other. */
export const DESCRIPTION_LIMITS = { ...PROBE_LIMITS, seconds: 20, cpuSeconds: 20 };

/** Half of what the transcoding has left remains for its rendition, which can do without these times. */
const packetLimits = (budget: WorkBudget | undefined): ToolLimits => ({
  ...PACKET_LIMITS,
  seconds: Math.min(PACKET_LIMITS.seconds, (budget?.seconds ?? Number.POSITIVE_INFINITY) / 2),
  cpuSeconds: Math.min(PACKET_LIMITS.cpuSeconds, (budget?.cpuSeconds ?? Number.POSITIVE_INFINITY) / 2),
});

/** Points (1/72 inch) of a side. PDF readers accept up to 14,400, or more if the file has another unit. */
const MAX_POINTS = 1_000_000;
interface FirstPage {
  readonly width: number;
  readonly height: number;
  /** Of the document. */
  readonly pages?: number;
}
/** pdfinfo reads the index of the file and one page, exiftool the metadata of a picture. */
const SIDE_LIMITS = { ...PROBE_LIMITS, seconds: 20, cpuSeconds: 20 };

const ANSWER = 'probe.json';
type Size = Pick<ProbedMedia, 'width' | 'height'>;
/** The limits of a measurement do not depend on the original. */
const NO_TASK = { sourceSize: 0, seconds: null };

/** Measures files: images by their header or with sharp, all others with ffprobe. The programs can read only the one file. */
@Injectable()
export class MediaProberService {
  constructor(private readonly tools: ToolRunnerService) {}

  /** Measures a file; null if it cannot be read as the expected kind of file. */
  async probe({ folder, signal, budget, ...measured }: ProbeRequest): Promise<ProbedMedia | null> {
    const { file, holds, demuxer } = measured;
    const header = holds === 'image' ? await readPictureHeader(path.join(folder, file), demuxer) : null;
    if (header) return header;
    const image = holds === 'image' ? detectImageType(await readHead(path.join(folder, file))) : null;
    const type = sharpTypeOf(image);
    const known = IMAGE_CODECS.get(image ?? '');
    if (holds === 'image' && (type === null || !known || (demuxer !== null && demuxer !== known.demuxer))) return null;
    const step = type ? buildSharpProbe(file, type, ANSWER) : buildProbe(measured, ANSWER);
    try {
      await this.tools.run({ step, folder, limits: type ? toolLimits(step, NO_TASK) : PROBE_LIMITS, signal, budget });
    } catch (error) {
      if (error instanceof ToolFailure && !['killed', 'missing'].includes(error.reason) && !budget?.isSpent) return null;
      throw error;
    }
    const answer = await readProbeAnswer(path.join(folder, ANSWER));
    return known ? { ...IMAGE_FACTS, ...(JSON.parse(answer) as Size), videoCodec: known.codec } : parseProbe(answer);
  }

  /** Measures when the picture and the sounds of a film or a sound file play. Null: it cannot be read to its end within the limits. */
  async measureTimes(request: TimesRequest): Promise<readonly MeasuredTimes[] | null> {
    const { folder, file, probed, signal, budget, limits = packetLimits(budget) } = request;
    const times = new PacketTimes(probed.start);
    const step = buildPacketProbe(file);
    try {
      await this.tools.run({ step, folder, limits, signal, budget, onLine: (line) => times.read(line) });
    } catch (error) {
      if (error instanceof ToolFailure && !['killed', 'missing'].includes(error.reason)) return null;
      throw error;
    }
    const played = new Set([probed.pictureIndex, ...probed.sounds.map(({ index }) => index)]);
    return times.all().filter(({ index }) => played.has(index));
  }

  /** Describes a film or sound file; null if it is neither. Throws a ToolFailure if ffprobe is missing. */
  async describe({ folder, file, signal }: Pick<ProbeRequest, 'folder' | 'file' | 'signal'>): Promise<MediaStreams | null> {
    try {
      await this.tools.run({ step: buildDescription(file, ANSWER), folder, limits: DESCRIPTION_LIMITS, signal });
    } catch (error) {
      if (error instanceof ToolFailure && error.reason === 'exit') return null;
      throw error;
    }
    return readStreams(await readProbeAnswer(path.join(folder, ANSWER)));
  }

  /** Reads the ICC profile of an image; null: it has none, or exiftool is missing or cannot read it. */
  async readProfile({ folder, file, signal }: Pick<ProbeRequest, 'folder' | 'file' | 'signal'>): Promise<ColorProfile | null> {
    const hasRun = await this.hasRun({ step: buildProfileProbe(file, ANSWER), folder, limits: SIDE_LIMITS, signal });
    return hasRun ? readColorProfile(await readFile(path.join(folder, ANSWER), 'utf8')) : null;
  }

  /**
   * Measures the first page of a PDF in points, as it is shown, and counts the pages; null: it has no page or cannot be read, or pdfinfo is missing.
   * `unit`: the points of the page's unit.
   */
  async measurePage({ folder, file, signal }: Pick<ProbeRequest, 'folder' | 'file' | 'signal'>, unit = 1): Promise<FirstPage | null> {
    const step = { program: 'pdfinfo', argv: ['-box', '-f', '1', '-l', '1', file], stdout: ANSWER } as const;
    if (!(await this.hasRun({ step, folder, limits: SIDE_LIMITS, signal }))) return null;
    const facts = await readFile(path.join(folder, ANSWER), 'utf8');
    const page = readPageSize(facts);
    const pages = readPageCount(facts);
    const size = page && { width: Math.round(page.width * unit), height: Math.round(page.height * unit) };
    return size && Math.min(size.width, size.height) > 0 && Math.max(size.width, size.height) <= MAX_POINTS
      ? { ...size, ...(pages !== null && { pages }) }
      : null;
  }

  /** Whether a PDF cannot be opened without a password; false also if pdfinfo is missing. */
  async needsPassword({ folder, file, signal }: Pick<ProbeRequest, 'folder' | 'file' | 'signal'>): Promise<boolean> {
    try {
      await this.tools.run({ step: { program: 'pdfinfo', argv: [file], stdout: ANSWER }, folder, limits: SIDE_LIMITS, signal });
      return false;
    } catch (error) {
      if (!(error instanceof ToolFailure) || error.reason === 'killed') throw error;
      return error.log.includes('Incorrect password');
    }
  }

  /** Runs a program whose answer is not essential. False: it is not installed, or cannot read the file. */
  private async hasRun(request: RunRequest): Promise<boolean> {
    try {
      await this.tools.run(request);
      return true;
    } catch (error) {
      if (error instanceof ToolFailure && error.reason !== 'killed') return false;
      throw error;
    }
  }
}
