import { getMetadataStorage, type ValidationError, validateSync } from 'class-validator';
import type { Draft } from './draft.js';
import { findUnknown } from './find-unknown.js';
import { isMapping } from './is-mapping.js';
import { ITEMS, type ItemsContext } from './items.js';
import type { Problem } from './problem.js';

export interface ReadEntry<Entry extends object> {
  readonly draft: Draft<Entry>;
  readonly problems: readonly Problem[];
}

/** Checks the fields of one entry, each by itself. */
export function readEntry<Entry extends object>(type: new () => Entry, given: unknown, path: string): ReadEntry<Entry> {
  if (!isMapping(given)) {
    const problem = { path, message: 'must be an object with named fields' };
    return { draft: { path, fields: {}, unsound: new Set(knownFields(type)) }, problems: [problem] };
  }
  const known = knownFields(type);
  const entry = Object.assign(new type(), pick(given, known));
  const errors = validateSync(entry, { forbidUnknownValues: true });
  const unsound = new Set(errors.map(({ property }) => property));
  const sound = known.filter((name) => !unsound.has(name));
  return {
    draft: { path, fields: pick(entry as Record<string, unknown>, sound) as Partial<Entry>, unsound },
    problems: [...findUnknown(given, known, { kind: 'field', prefix: `${path}.` }), ...errors.flatMap((error) => describe(error, path))],
  };
}

/** One problem per field, the first that its decorators name; of a list one per item. */
function describe({ property, value, constraints = {}, contexts = {}, target = {} }: ValidationError, path: string): Problem[] {
  const context = contexts[ITEMS] as ItemsContext | undefined;
  if (context && Array.isArray(value)) {
    const messages = value.map((item) => context.rule(item, target));
    return messages.flatMap((message, index) => (message === null ? [] : [{ path: `${path}.${property}.${index}`, message }]));
  }
  const message = value === undefined ? 'is required' : (Object.values(constraints)[0] ?? 'is not valid');
  return [{ path: `${path}.${property}`, message }];
}

/** The properties that carry decorators. */
function knownFields(type: new () => object): string[] {
  const metadata = getMetadataStorage().getTargetValidationMetadatas(type, '', false, false);
  return [...new Set(metadata.map(({ propertyName }) => propertyName))];
}

const pick = (values: Readonly<Record<string, unknown>>, names: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(names.filter((name) => Object.hasOwn(values, name)).map((name) => [name, values[name]]));
