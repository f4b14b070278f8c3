import { RE2JS } from 're2js';
import type { AllowedParameter, MediaType } from '../format-settings.js';

/** What a blueprint lets its custom formats set, ready to be asked. */
export interface CompiledParameter {
  readonly command: string;
  readonly regex: string;
  readonly mediaTypes: readonly MediaType[];
  /** Whether the whole value matches; in time linear in its length. */
  matches(value: string): boolean;
}

/** A pattern that is none: `path` in dots, as a caller of the API would look for it. */
export interface PatternProblem {
  readonly path: string;
  readonly message: string;
}

/** One or more patterns of a blueprint cannot be compiled. */
export class InvalidPatternsError extends Error {
  override readonly name = 'InvalidPatternsError';

  constructor(readonly problems: readonly PatternProblem[]) {
    super(problems.map(({ path, message }) => `${path}: ${message}`).join(' '));
  }
}

/** More than anybody can read; the engine's memory grows with the pattern. */
const MAX_PATTERN_CHARACTERS = 1_000;
/** Blueprints are few; the limit only keeps a process from growing for ever. */
const MAX_REMEMBERED = 1_000;
const remembered = new Map<string, RE2JS>();

/** Compiles a blueprint's patterns, each once per process. Throws InvalidPatternsError with all that are wrong. */
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

/** The pattern, or what is wrong with it. */
function tryCompile(regex: string): RE2JS | string {
  const known = remembered.get(regex);
  if (known) return known;
  if (regex.length > MAX_PATTERN_CHARACTERS) return `A pattern may have at most ${MAX_PATTERN_CHARACTERS} characters.`;
  try {
    const pattern = RE2JS.compile(regex);
    if (remembered.size >= MAX_REMEMBERED) remembered.clear();
    remembered.set(regex, pattern);
    return pattern;
  } catch (error) {
    return `This is no regular expression of RE2: ${error instanceof Error ? error.message : String(error)}.`;
  }
}
