import { RE2JS } from 're2js';
import type { FieldProblem } from '../../../shared/errors.js';
import type { MediaType } from '../../media/index.js';
import type { FormatSettings } from '../format-settings.dto.js';
import { type AllowedParameter, type Parameters, type ParameterValue, RAW_CONVERTERS, type RawConverter } from '../format-settings.js';
import { type Converter, findParameterProblem } from './converters.js';

interface MergeRequest {
  readonly blueprint: FormatSettings;
  /** The settings of the format itself, with its raw converter parameters. */
  readonly custom: FormatSettings;
  readonly converter: Converter;
  /** The media types of the format. */
  readonly mediaTypes: readonly MediaType[];
}

/** Whether a parameter is used, and why. */
export interface ExplainedParameter {
  readonly command: string;
  readonly value: ParameterValue;
  readonly source: 'blueprint' | 'custom';
  /** The converter of a raw parameter; absent for other parameters. */
  readonly raw?: RawConverter;
  readonly used: boolean;
  readonly reason: string;
}

export interface MergedParameters {
  /** The final command of the format. */
  readonly command: Parameters;
  /** Every parameter: the blueprint's, the custom format's, the raw ones. */
  readonly parameters: readonly ExplainedParameter[];
}

/** A parameter before the merge: `refusal` says why it is ignored, `wins` why it is used. */
interface Candidate {
  readonly command: string;
  readonly value: ParameterValue;
  readonly source: 'blueprint' | 'custom';
  readonly raw?: RawConverter;
  readonly refusal: string | null;
  readonly wins: string;
  /** The reason given for a parameter that it replaces. */
  readonly overrides: string;
}

/**
 * Returns the final command (specification, Command structure rules 2 and 3): the blueprint's parameters, overridden by those of the custom format
 * that the blueprint allows, overridden by raw parameters of the converter, which need no permission. All of them must be safe. Throws
 * InvalidPatternsError for an invalid pattern of the blueprint.
 */
export function mergeParameters(request: MergeRequest): MergedParameters {
  const candidates = [...blueprintCandidates(request), ...customCandidates(request), ...rawCandidates(request)];
  const winners = new Map<string, Candidate>();
  for (const candidate of candidates) if (candidate.refusal === null) winners.set(candidate.command, candidate);
  const explain = (candidate: Candidate): ExplainedParameter => {
    const { command, value, source, raw, refusal, wins } = candidate;
    const winner = winners.get(command);
    const used = winner === candidate;
    return { command, value, source, raw, used, reason: refusal ?? (used ? wins : (winner?.overrides ?? wins)) };
  };
  return {
    command: Object.fromEntries([...winners.values()].map(({ command, value }) => [command, value])),
    parameters: candidates.map(explain),
  };
}

function blueprintCandidates({ blueprint, converter }: MergeRequest): Candidate[] {
  return Object.entries(blueprint.parameters ?? {}).map(([command, value]) => ({
    command,
    value,
    source: 'blueprint',
    refusal: findParameterProblem(converter, command, value),
    wins: "the blueprint's default",
    overrides: '',
  }));
}

function customCandidates({ blueprint, custom, converter, mediaTypes }: MergeRequest): Candidate[] {
  const allowed = compileAllowedParameters(blueprint.allowedParameters ?? []);
  return Object.entries(custom.parameters ?? {}).map(([command, value]) => ({
    command,
    value,
    source: 'custom',
    refusal: findDisallowance({ command, value, allowed, mediaTypes }) ?? findParameterProblem(converter, command, value),
    wins: 'allowed by the blueprint',
    overrides: 'overridden by the custom format',
  }));
}

function rawCandidates({ custom, converter }: MergeRequest): Candidate[] {
  return RAW_CONVERTERS.flatMap((owner) =>
    Object.entries(custom[owner] ?? {}).map(([command, value]) => ({
      command,
      value,
      source: 'custom' as const,
      raw: owner,
      refusal:
        owner === converter ? findParameterProblem(converter, command, value) : `for ${owner}, but this format is made with ${converter}`,
      wins: 'raw converter parameter: needs no allowance of the blueprint',
      overrides: 'overridden by a raw converter parameter',
    })),
  );
}

interface RequestedParameter {
  readonly command: string;
  readonly value: ParameterValue;
  readonly allowed: readonly CompiledParameter[];
  readonly mediaTypes: readonly MediaType[];
}

/** Returns why the blueprint does not allow a parameter; null: it does. If the blueprint lists it twice, one match is sufficient. */
function findDisallowance({ command, value, allowed, mediaTypes }: RequestedParameter): string | null {
  const named = allowed.filter((one) => one.command === command);
  if (named.length === 0) return 'not allowed by the blueprint';
  const suitable = named.filter((one) => one.mediaTypes.some((type) => mediaTypes.includes(type)));
  if (suitable.length === 0) return `for ${[...new Set(named.flatMap((one) => one.mediaTypes))].join(' and ') || 'no media type'} only`;
  if (suitable.some((one) => one.matches(String(value)))) return null;
  return `does not match ${suitable.map(({ regex }) => regex).join(' or ')}`;
}

/** A parameter that formats based on a blueprint may set, with its compiled pattern. */
interface CompiledParameter extends AllowedParameter {
  /** Whether the whole value matches, in time linear in its length. */
  matches(value: string): boolean;
}

/** One or more patterns of a blueprint are invalid. */
export class InvalidPatternsError extends Error {
  override readonly name = 'InvalidPatternsError';

  /** Each problem has its path as in the API. */
  constructor(readonly problems: readonly Pick<FieldProblem, 'path' | 'message'>[]) {
    super(problems.map(({ path, message }) => `${path}: ${message}`).join(' '));
  }
}

/** Longer than any readable pattern; the engine's memory grows with the pattern. */
const MAX_PATTERN_CHARACTERS = 1_000;
/** There are few blueprints; the limit only bounds memory. */
const MAX_CACHED = 1_000;
const cached = new Map<string, RE2JS>();

/** Compiles a blueprint's patterns, each once per process. Throws InvalidPatternsError, which lists all invalid patterns. */
export function compileAllowedParameters(allowed: readonly AllowedParameter[]): readonly CompiledParameter[] {
  const problems: { readonly path: string; readonly message: string }[] = [];
  const compiled = allowed.map((parameter, index) => {
    const pattern = tryCompile(parameter.regex);
    if (typeof pattern === 'string') problems.push({ path: `settings.allowedParameters.${index}.regex`, message: pattern });
    return { ...parameter, matches: (value: string) => typeof pattern !== 'string' && pattern.testExact(value) };
  });
  if (problems.length > 0) throw new InvalidPatternsError(problems);
  return compiled;
}

/** Returns the compiled pattern, or its problem. */
function tryCompile(regex: string): RE2JS | string {
  const known = cached.get(regex);
  if (known) return known;
  if (regex.length > MAX_PATTERN_CHARACTERS) return `A pattern may have at most ${MAX_PATTERN_CHARACTERS} characters.`;
  try {
    const pattern = RE2JS.compile(regex);
    if (cached.size >= MAX_CACHED) cached.clear();
    cached.set(regex, pattern);
    return pattern;
  } catch (error) {
    return `This is not a valid RE2 regular expression: ${error instanceof Error ? error.message : String(error)}.`;
  }
}
