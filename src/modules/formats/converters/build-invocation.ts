import { type BuildRequest, type Invocation, Refusal } from './converter.js';
import { type Converter, findParameterProblem, getConverter } from './converters.js';
import { mergeTimecode, type TimecodeOverrides } from './ffmpeg/burn-timecode.js';
import { findSettingsProblems } from './find-settings-problems.js';

export interface InvocationRequest extends Omit<BuildRequest, 'timecode'> {
  readonly converter: Converter;
  /** The customer's individual configuration. */
  readonly customerTimecode: TimecodeOverrides | null;
}

/**
 * Builds what has to be run to make a format of a source. It is safe, without a shell: options come from lists, each text of a user is escaped
 * for its program, and programs may read only the given files, as their actual file types.
 */
export function buildInvocation({ converter, customerTimecode, ...request }: InvocationRequest): Invocation {
  const timecode = mergeTimecode(request.settings.burnTimecode, customerTimecode);
  const settings = { ...request.settings, burnTimecode: timecode ?? undefined };
  const problems = [
    ...Object.entries(request.command).flatMap(([name, value]) => describe(name, findParameterProblem(converter, name, value))),
    ...findSettingsProblems(converter, settings).map(({ message }) => message),
  ];
  if (problems.length > 0) return { kind: 'refused', problems };
  try {
    return getConverter(converter).build({ ...request, settings, timecode });
  } catch (error) {
    if (error instanceof Refusal) return { kind: 'refused', problems: [error.message] };
    throw error;
  }
}

const describe = (name: string, problem: string | null): string[] =>
  problem === null ? [] : [`The parameter ${JSON.stringify(name)}: ${problem}.`];
