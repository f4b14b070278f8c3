import { setImmediate } from 'node:timers/promises';
import { type ArgumentMetadata, type Type, ValidationPipe, type ValidationPipeOptions } from '@nestjs/common';
import { getMetadataStorage } from 'class-validator';
import type { Config } from '../config/index.js';
import { DomainError, type FieldProblem } from '../errors.js';
import {
  fieldProblems,
  handOnPlainValues,
  invalidInput,
  isObject,
  type ProblemFinder,
  ruleOf,
  withShortLists,
} from '../validation/index.js';
import { mismatchOf } from './input.js';
import { uncleanPartsOf } from './json-object.js';

const knownParametersOnly = new WeakSet<object>();

/**
 * Parameters that do not filter, so that ignoring them does not change the result: `refresh` of the specification's
 * finds, and the parameter that clients append to bypass a cache.
 */
const NO_FILTERS: ReadonlySet<string> = new Set(['refresh', '_']);

/** For the input of a list added by this service (contract section 12.1): ignoring an unknown filter would return everything. */
export const RefusesUnknownParameters = (): ClassDecorator => (type) => void knownParametersOnly.add(type);

/**
 * Reports every problem of an input at once, of path, query and body, each with its path in dots. Unknown fields are dropped unless the input refuses
 * them. `config` is what the rules of inputs depend on (`@FollowsRule`).
 */
export function inputValidation(config: Config): ValidationPipe {
  handOnPlainValues();
  return new InputValidationPipe(config, {
    transform: true,
    whitelist: true,
    forbidUnknownValues: true,
    validateCustomDecorators: true, // @Input() is one
    validationError: { target: true, value: true }, // fieldProblems reads their rules
    exceptionFactory: async (errors) => {
      await setImmediate(); // finding and describing thousands of problems each take long, so other requests run in between
      return invalidInput(...fieldProblems(errors));
    },
  });
}

/** Why an input is refused, apart from the problems of its members. */
interface Found {
  readonly unknown: readonly FieldProblem[];
  readonly byRule: readonly FieldProblem[];
  readonly mismatch: ReturnType<typeof mismatchOf>;
}

class InputValidationPipe extends ValidationPipe {
  private readonly rules = new Map<Type, ProblemFinder>();

  constructor(
    private readonly config: Config,
    options: ValidationPipeOptions,
  ) {
    super(options);
  }

  /** The compiler records a parameter of a function type as `Function`, which is no class of an input. */
  protected override toValidate(metadata: ArgumentMetadata): boolean {
    return metadata.metatype !== Function && super.toValidate(metadata);
  }

  override transform(value: unknown, metadata: ArgumentMetadata): Promise<unknown> {
    const { metatype } = metadata;
    if (!metatype || !isObject(value)) return super.transform(value, metadata);
    const input = withShortLists(value, metatype);
    const unknown = knownParametersOnly.has(metatype) ? findUnknown(input, metatype) : [];
    const byRule = this.ruleOf(metatype)(input);
    const mismatch = mismatchOf(value);
    const isAccepted = !mismatch && unknown.length + byRule.length === 0;
    return isAccepted ? super.transform(input, metadata) : this.refuse(input, metadata, { unknown, byRule, mismatch });
  }

  /** Reports what was found together with the problems of the members. A mismatch alone keeps its own code. */
  private async refuse(input: unknown, metadata: ArgumentMetadata, { unknown, byRule, mismatch }: Found): Promise<never> {
    const problems = [...unknown, ...(await this.findProblems(input, metadata)), ...byRule];
    if (!mismatch) throw invalidInput(...problems);
    if (problems.length === 0) throw mismatch.error;
    const { code, detail } = mismatch.error;
    throw invalidInput(...problems, { path: mismatch.path, code, message: detail });
  }

  /** The problems of the members. */
  private async findProblems(input: unknown, metadata: ArgumentMetadata): Promise<readonly FieldProblem[]> {
    try {
      await super.transform(input, metadata);
      return [];
    } catch (error) {
      return problemsOf(error);
    }
  }

  /** The rule of an input class for this configuration. */
  private ruleOf(type: Type): ProblemFinder {
    const rule = this.rules.get(type) ?? ruleOf(type)?.compile(this.config) ?? (() => []);
    this.rules.set(type, rule);
    return rule;
  }

  /** parseBody already cleans JSON bodies in small steps; walking through megabytes at once would block other requests. */
  protected override stripProtoKeys(value: unknown): void {
    for (const part of uncleanPartsOf(value)) super.stripProtoKeys(part);
  }

  protected override closeArrayGaps(value: unknown): void {
    for (const part of uncleanPartsOf(value)) super.closeArrayGaps(part);
  }
}

/** The problems of a validation error; any other error is thrown again. */
function problemsOf(error: unknown): readonly FieldProblem[] {
  if (error instanceof DomainError && error.extras.errors) return error.extras.errors;
  throw error;
}

function findUnknown(input: object, type: Type): FieldProblem[] {
  const rules = getMetadataStorage().getTargetValidationMetadatas(type, '', false, false);
  const known = new Set(rules.map(({ propertyName }) => propertyName));
  const unknown = Object.keys(input).filter((name) => !known.has(name) && !NO_FILTERS.has(name));
  const message = `is not a parameter of this list; there are ${[...known].sort().join(', ')}`;
  return unknown.map((path) => ({ path, code: 'unknown_parameter', message }));
}
