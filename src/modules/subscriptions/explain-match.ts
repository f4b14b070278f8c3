import type { EventMethod, EventName } from '../../shared/events/index.js';
import { isObject } from '../../shared/validation/index.js';
import type { Subscription } from './subscription.entity.js';

/** A hypothetical event. */
export interface SuspectedEvent {
  readonly name: EventName;
  readonly method: EventMethod;
  readonly payload: Readonly<Record<string, unknown>>;
}

/** Why a subscription does not act; `path` is relative to its conditions; `actual` is null where the event has no value. */
export interface Mismatch {
  readonly condition: 'name' | 'methods' | 'payload' | 'flag';
  readonly path: string;
  readonly expected: unknown;
  readonly actual: unknown;
}

/**
 * Returns every reason why a subscription does not act on an event; an empty list: it acts. run-planning.repository.ts decides the same in SQL, where
 * the payload of the event has to contain (`@>` of jsonb) that of the conditions.
 */
export function explainMatch(
  { name, methods, payload, processedAt }: Pick<Subscription, 'name' | 'methods' | 'payload' | 'processedAt'>,
  event: SuspectedEvent,
): Mismatch[] {
  return [
    ...(name === event.name ? [] : [{ condition: 'name' as const, path: 'name', expected: name, actual: event.name }]),
    ...(methods === null || methods.includes(event.method)
      ? []
      : [{ condition: 'methods' as const, path: 'methods', expected: methods, actual: event.method }]),
    ...(payload === null ? [] : findMissing(payload, event.payload, 'payload')),
    ...(processedAt === null ? [] : [{ condition: 'flag' as const, path: 'processedAt', expected: null, actual: processedAt }]),
  ];
}

/**
 * The parts of `expected` that `actual` lacks, as deep as possible; for a list only the first missing element, because each would repeat the list.
 */
function findMissing(expected: unknown, actual: unknown, path: string): Mismatch[] {
  if (isObject(expected) && isObject(actual)) {
    return Object.entries(expected).flatMap(([name, value]) => {
      return Object.hasOwn(actual, name)
        ? findMissing(value, actual[name], `${path}.${name}`)
        : [{ condition: 'payload' as const, path: `${path}.${name}`, expected: value, actual: null }];
    });
  }
  if (Array.isArray(expected) && Array.isArray(actual)) {
    const missing = expected.findIndex((element: unknown) => !actual.some((candidate: unknown) => contains(candidate, element)));
    return missing === -1 ? [] : [{ condition: 'payload', path: `${path}.${missing}`, expected: expected[missing], actual }];
  }
  return expected === actual ? [] : [{ condition: 'payload', path, expected, actual }];
}

/** Evaluates `@>` of jsonb below the top level, without reasons, because it is called for each pair of elements. */
function contains(actual: unknown, expected: unknown): boolean {
  if (isObject(expected)) {
    return (
      isObject(actual) && Object.entries(expected).every(([name, value]) => Object.hasOwn(actual, name) && contains(actual[name], value))
    );
  }
  if (!Array.isArray(expected)) return actual === expected;
  return Array.isArray(actual) && expected.every((element: unknown) => actual.some((candidate: unknown) => contains(candidate, element)));
}
