import { setImmediate } from 'node:timers/promises';
import { type ArgumentMetadata, type Type, ValidationPipe } from '@nestjs/common';
import { getMetadataStorage } from 'class-validator';
import { DomainError, type FieldProblem } from '../errors.js';
import { fieldProblems, handOnPlainValues, invalidInput, isObject, withShortLists } from '../validation/index.js';
import { uncleanPartsOf } from './json-object.js';

const knownParametersOnly = new WeakSet<object>();

/**
 * Parameters that do not filter, so that ignoring them does not change the result: `refresh` of the specification's
 * finds, and the parameter that clients append to bypass a cache.
 */
const NO_FILTERS: ReadonlySet<string> = new Set(['refresh', '_']);

/** For the input of a list added by this service (contract section 12.1): ignoring an unknown filter would return everything. */
export const RefusesUnknownParameters = (): ClassDecorator => (type) => void knownParametersOnly.add(type);

/** Reports every problem of an input at once, each with its path in dots. Unknown fields are dropped unless the input refuses them. */
export function inputValidation(): ValidationPipe {
  handOnPlainValues();
  return new InputValidationPipe({
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

class InputValidationPipe extends ValidationPipe {
  /** The compiler records a parameter of a function type as `Function`, which is no class of an input. */
  protected override toValidate(metadata: ArgumentMetadata): boolean {
    return metadata.metatype !== Function && super.toValidate(metadata);
  }

  override transform(value: unknown, metadata: ArgumentMetadata): Promise<unknown> {
    const { metatype } = metadata;
    const input = metatype && isObject(value) ? withShortLists(value, metatype) : value;
    const unknown = metatype && knownParametersOnly.has(metatype) ? findUnknown(input as object, metatype) : [];
    return unknown.length === 0 ? super.transform(input, metadata) : this.refuse(unknown, input, metadata);
  }

  /** Reports the unknown parameters together with all other problems. */
  private async refuse(unknown: readonly FieldProblem[], value: unknown, metadata: ArgumentMetadata): Promise<never> {
    try {
      await super.transform(value, metadata);
    } catch (error) {
      throw invalidInput(...unknown, ...problemsOf(error));
    }
    throw invalidInput(...unknown);
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
