import { Injectable } from '@nestjs/common';
import { preferredOf } from './converters/alternatives.js';
import { CLI_PREFIX, cliProgram } from './converters/cli.converter.js';
import type { Format } from './format.entity.js';
import { requirementsOfFormat, sharpObstaclesOf } from './format-command.js';
import type { VisibleFormats } from './format-reader.service.js';

/** The software to which programs with other names belong. */
const PARTS_OF: ReadonlyMap<string, string> = new Map([
  ['convert', 'ImageMagick'],
  ['soffice', 'LibreOffice'],
  ['pdfinfo', 'Poppler'],
  ['pdftoppm', 'Poppler'],
]);

/** The program that comes with the service. */
const OWN_PROGRAM = 'sharp';

/** Explains in sentences which programs are missing and what the operator can do. `refused`: no machine may run programs. */
export function describeMissing(requirements: readonly string[], refused = false): string {
  const programs = requirements.map(preferredOf);
  if (refused && !programs.includes(CLI_PREFIX)) return refusal(programs);
  const tools = programs.filter((program) => program.startsWith(CLI_PREFIX)).map((program) => program.slice(CLI_PREFIX.length));
  const installed = programs.filter((program) => !program.startsWith(CLI_PREFIX) && program !== OWN_PROGRAM).map(withPackage);
  return [
    ...(requirements.includes(OWN_PROGRAM)
      ? ['No worker has sharp; the operator can install the service with its optional packages (npm ci).']
      : []),
    ...(installed.length > 0
      ? [`No worker has ${list(installed)}; the operator can install what is missing (npm run install:tools).`]
      : []),
    ...tools.map((tool) =>
      tool === ''
        ? 'The format does not name a tool of the operator (settings.parameters.tool).'
        : `No worker offers the tool ${JSON.stringify(tool)}; the operator can list it in cli-tools.json.`,
    ),
  ].join(' ');
}

/** Explains why an image format needs ImageMagick, although sharp makes images. */
const explainObstacles = (obstacles: readonly string[] | null): string =>
  obstacles === null || obstacles.length === 0 ? '' : ` Images without ${list(obstacles)} are made by sharp alone.`;

const refusal = (programs: readonly string[]): string =>
  `No worker may run ${list(programs.map(nameOf))}: its machine cannot isolate programs; the operator finds the reason in /health/ready and what to do in docs/converter.md.`;

const nameOf = (program: string): string =>
  program.startsWith(CLI_PREFIX) ? `the tool ${JSON.stringify(program.slice(CLI_PREFIX.length))}` : withPackage(program);

const withPackage = (program: string): string => (PARTS_OF.has(program) ? `${program} (${PARTS_OF.get(program)})` : program);

const list = (names: readonly string[]): string => [names.slice(0, -1).join(', '), ...names.slice(-1)].filter(Boolean).join(' and ');

/** Programs that are missing. */
export interface MissingPrograms {
  readonly programs: readonly string[];
  /** Whether no machine can isolate programs, so that none may run. */
  readonly refused: boolean;
}

/** What makes images: sharp, or ImageMagick on the image of sharp. */
export type ImageEngine = 'imagemagick' | 'sharp';

/** The programs of the machines that make renditions. */
export abstract class ProgramsOfWorkers {
  /** Returns for each of these sets which programs of it no machine has; null: unknown, because no worker is running. */
  abstract findMissing(sets: readonly (readonly string[])[]): Promise<readonly MissingPrograms[] | null>;
}

/** The requirement of a format with the converter cli that names no tool; no machine has this program. */
const NO_TOOL = cliProgram('');

const NOTHING_MISSING: MissingPrograms = { programs: [], refused: false };

/** Decides whether formats can be made. */
@Injectable()
export class FormatAvailabilityService {
  constructor(private readonly workers: ProgramsOfWorkers) {}

  /** Explains in sentences why programs are not available; null: they are, or no worker is running. */
  async findReason(programs: readonly string[]): Promise<string | null> {
    return (await this.findReasonsOf([programs]))[0] ?? null;
  }

  /** Explains like `findReason` for several sets of programs, in their order. */
  async findReasonsOf(sets: readonly (readonly string[])[]): Promise<readonly (string | null)[]> {
    const missing = await this.findMissing(sets);
    return missing.map(({ programs, refused }) => (programs.length > 0 ? describeMissing(programs, refused) : null));
  }

  /** Returns those programs that no worker has; empty while no worker is running. */
  async missing(programs: readonly string[]): Promise<readonly string[]> {
    return (await this.findMissing([programs]))[0]?.programs ?? [];
  }

  private async findMissing(sets: readonly (readonly string[])[]): Promise<readonly MissingPrograms[]> {
    const found = await this.workers.findMissing(sets);
    return sets.map((programs, index) => {
      if (programs.includes(NO_TOOL)) return { programs: [NO_TOOL], refused: false };
      return found?.[index] ?? NOTHING_MISSING;
    });
  }

  /** Returns what makes the images of a format: sharp alone, or ImageMagick on the image of sharp. Null: it is no image format, or cannot be made. */
  async findEngine(format: Format, visible: VisibleFormats): Promise<ImageEngine | null> {
    const obstacles = sharpObstaclesOf(format, visible);
    if (obstacles === null || (await this.missing(requirementsOfFormat(format, visible))).length > 0) return null;
    return obstacles.length > 0 ? 'imagemagick' : 'sharp';
  }

  /** Explains by format id why some of the formats cannot be made. */
  async findReasons(formats: readonly Format[], visible: VisibleFormats): Promise<ReadonlyMap<number, string>> {
    const keyOf = (format: Format): string => requirementsOfFormat(format, visible).join();
    const sets = new Map(formats.map((format) => [keyOf(format), requirementsOfFormat(format, visible)]));
    const found = await this.findReasonsOf([...sets.values()]);
    const reasons = new Map([...sets.keys()].map((key, index) => [key, found[index] ?? null]));
    return new Map(
      formats.flatMap((format) => {
        const reason = reasons.get(keyOf(format)) ?? null;
        return reason === null ? [] : [[format.id, `${reason}${explainObstacles(sharpObstaclesOf(format, visible))}`]];
      }),
    );
  }
}
