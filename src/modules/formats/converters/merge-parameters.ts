import type { FormatSettings } from '../format-settings.dto.js';
import { type MediaType, type Parameters, type ParameterValue, RAW_CONVERTERS, type RawConverter } from '../format-settings.js';
import { type CompiledParameter, compileAllowedParameters } from './compile-allowed-parameters.js';
import type { Converter } from './converters.js';
import { findParameterProblem } from './converters.js';

export interface MergeRequest {
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
  /** The reason of a parameter that it replaces. */
  readonly overrides: string;
}

/**
 * The final command (specification, Command structure rules 2 and 3): the blueprint's parameters, overridden by the custom format's as far as
 * the blueprint allows them, overridden by raw parameters of the converter, which need no allowance. All of them must be safe. Throws
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

/** Why the blueprint does not allow a parameter; null: it does. If the blueprint lists it twice, one match is enough. */
function findDisallowance({ command, value, allowed, mediaTypes }: RequestedParameter): string | null {
  const named = allowed.filter((one) => one.command === command);
  if (named.length === 0) return 'not allowed by the blueprint';
  const suitable = named.filter((one) => one.mediaTypes.some((type) => mediaTypes.includes(type)));
  if (suitable.length === 0) return `for ${[...new Set(named.flatMap((one) => one.mediaTypes))].join(' and ') || 'no media type'} only`;
  if (suitable.some((one) => one.matches(String(value)))) return null;
  return `does not match ${suitable.map(({ regex }) => regex).join(' or ')}`;
}
