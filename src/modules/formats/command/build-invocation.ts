import type { Converter, FormatSettings, Parameters } from '../format-settings.js';
import { buildCli, type CliTool } from './cli/build-cli.js';
import { buildFfmpeg } from './ffmpeg/build-ffmpeg.js';
import { buildFfprobe } from './ffmpeg/build-ffprobe.js';
import { mergeTimecode, type TimecodeOverrides } from './ffmpeg/burn-timecode.js';
import { findParameterProblem } from './find-parameter-problem.js';
import { findSettingsProblems } from './find-settings-problems.js';
import { buildImagemagick } from './imagemagick/build-imagemagick.js';
import type { Invocation } from './invocation.js';
import { buildOffice } from './office/build-office.js';
import { Refusal } from './refusal.js';
import type { SourceFacts } from './source-facts.js';

export interface InvocationRequest {
  readonly converter: Converter;
  /** The final command, of mergeParameters. */
  readonly command: Parameters;
  /** Of the format, what it leaves open filled from the blueprint's. */
  readonly settings: FormatSettings;
  /** The customer's individual configuration. */
  readonly customerTimecode: TimecodeOverrides | null;
  readonly source: SourceFacts;
  /** The image of settings.watermark; null: there is none. */
  readonly watermark: { readonly fileExtension: string | null } | null;
  /** The job's own empty folder, absolute. */
  readonly folder: string;
  /** What the operator offers to the converter cli. */
  readonly tools: readonly CliTool[];
}

/**
 * What has to be run to make a format of a source. It is safe without a shell: options come from lists, users' texts stand in one slot that
 * is escaped for its program, and programs may read only the files that they are given, as the formats that these are.
 */
export function buildInvocation(request: InvocationRequest): Invocation {
  const { converter, command } = request;
  const burnTimecode = mergeTimecode(request.settings.burnTimecode, request.customerTimecode);
  const settings = { ...request.settings, burnTimecode: burnTimecode ?? undefined };
  const problems = [
    ...Object.entries(command).flatMap(([name, value]) => describe(name, findParameterProblem(converter, name, value))),
    ...findSettingsProblems(converter, settings).map(({ message }) => message),
  ];
  if (problems.length > 0) return { kind: 'refused', problems };
  try {
    return build({ ...request, settings });
  } catch (error) {
    if (error instanceof Refusal) return { kind: 'refused', problems: [error.message] };
    throw error;
  }
}

const describe = (name: string, problem: string | null): string[] =>
  problem === null ? [] : [`The parameter ${JSON.stringify(name)}: ${problem}.`];

function build({ converter, command, settings, source, watermark, folder, tools }: InvocationRequest): Invocation {
  switch (converter) {
    case 'ffmpeg':
      return buildFfmpeg({ command, settings, timecode: settings.burnTimecode ?? null, source });
    case 'ffprobe':
      return buildFfprobe(source);
    case 'imagemagick':
      return buildImagemagick({ command, settings, source, watermark });
    case 'officeDocument':
      return buildOffice({ command, settings, source, folder });
    case 'cli':
      return buildCli(command, settings, tools);
    case 'original':
    case 'copy':
      return { kind: converter };
  }
}
