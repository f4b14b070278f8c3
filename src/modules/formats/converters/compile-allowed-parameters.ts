import { RE2JS } from 're2js';
import type { AllowedParameter, MediaType } from '../format-settings.js';

/** A parameter that formats based on a blueprint may set, with its compiled pattern. */
export interface CompiledParameter {
  readonly command: string;
  readonly regex: string;
  readonly mediaTypes: readonly MediaType[];
  /** Whether the whole value matches, in time linear in its length. */
  matches(value: string): boolean;
}

/** An invalid pattern; `path` with dots, as in the API. */
export interface PatternProblem {
  readonly path: string;
  readonly message: string;
}

/** One or more patterns of a blueprint are invalid. */
export class InvalidPatternsError extends Error {
  override readonly name = 'InvalidPatternsError';

  constructor(readonly problems: readonly PatternProblem[]) {
    super(problems.map(({ path, message }) => `${path}: ${message}`).join(' '));
  }
}

/** Longer than any readable pattern; the engine's memory grows with the pattern. */
const MAX_PATTERN_CHARACTERS = 1_000;
/** There are few blueprints; the limit only bounds the memory. */
const MAX_CACHED = 1_000;
const cached = new Map<string, RE2JS>();

/** Compiles a blueprint's patterns, each once per process. Throws InvalidPatternsError with all invalid patterns. */
export function compileAllowedParameters(allowed: readonly AllowedParameter[]): readonly CompiledParameter[] {
  const problems: PatternProblem[] = [];
  const compiled = allowed.map((parameter, index) => {
    const pattern = tryCompile(parameter.regex);
    if (typeof pattern === 'string') problems.push({ path: `settings.allowedParameters.${index}.regex`, message: pattern });
    return { ...parameter, matches: (value: string) => typeof pattern !== 'string' && pattern.testExact(value) };
  });
  if (problems.length > 0) throw new InvalidPatternsError(problems);
  return compiled;
}

/** The compiled pattern, or its problem. */
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
