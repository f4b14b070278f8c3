import { plainToInstance } from 'class-transformer';
import { getMetadataStorage, type ValidationError, validateSync } from 'class-validator';
import type { FieldProblem } from '../../shared/errors.js';
import { fieldProblems } from '../../shared/validation/index.js';
import { accessKeysSection } from './access-keys-section.js';
import { clientsSection } from './clients-section.js';
import { customersSection } from './customers-section.js';
import { dropsitesSection } from './dropsites-section.js';
import { identityProvidersSection } from './identity-providers-section.js';
import { type Draft, isMapping, type NaturalKey, type Problem, type Section } from './section.js';
import { usersSection } from './users-section.js';

/** The sections of a provisioning file, in the order in which they are applied: each may refer to earlier ones. */
export const sections: Readonly<Record<string, Section<object>>> = {
  customers: customersSection,
  users: usersSection,
  clients: clientsSection,
  accessKeys: accessKeysSection,
  identityProviders: identityProvidersSection,
  dropsites: dropsitesSection,
};

export interface ReadSections {
  /** The entries of every section; empty for sections that the file leaves out. */
  readonly drafts: Readonly<Record<string, readonly Draft<object>[]>>;
  readonly problems: readonly Problem[];
}

/** Checks everything that can be checked without the database, except for references between entries. */
export function readSections(document: Readonly<Record<string, unknown>>): ReadSections {
  const drafts: Record<string, Draft<object>[]> = {};
  const problems = findUnknown(document, Object.keys(sections), { kind: 'section', prefix: '' });
  for (const [name, section] of Object.entries(sections)) {
    const entries = listOf(document, name, problems).map((given, index) => readEntry(section.entry, given, `${name}.${index}`));
    drafts[name] = entries.map(({ draft }) => draft);
    problems.push(...entries.flatMap((entry) => entry.problems), ...findRepeated(name, drafts[name]));
  }
  return { drafts, problems };
}

function listOf(document: Readonly<Record<string, unknown>>, name: string, problems: Problem[]): readonly unknown[] {
  const given = Object.hasOwn(document, name) ? document[name] : [];
  if (Array.isArray(given)) return given;
  problems.push({ path: name, message: 'must be a list' });
  return [];
}

function findRepeated(name: string, drafts: readonly Draft<object>[]): Problem[] {
  const firsts = new Map<string, string>();
  return drafts.flatMap((draft) => {
    const key = keyOf(name, draft);
    if (key === undefined) return [];
    const path = `${draft.path}.${key.field}`;
    const first = firsts.get(key.value);
    firsts.set(key.value, first ?? path);
    return first === undefined ? [] : [{ path, message: `is the same as ${first}` }];
  });
}

/** The normalized natural key of an entry; undefined if the entry has no valid one. */
export function keyOf(name: string, { fields }: Draft<object>): NaturalKey | undefined {
  const section = sections[name];
  const value = section && (fields as Record<string, unknown>)[section.key];
  if (section?.identify) return section.identify(fields);
  return section && typeof value === 'string' ? { field: section.key, value: section.normalize(value) } : undefined;
}

interface ReadEntry<Entry extends object> {
  readonly draft: Draft<Entry>;
  readonly problems: readonly Problem[];
}

/** Checks each field of one entry independently. */
function readEntry<Entry extends object>(type: new () => Entry, given: unknown, path: string): ReadEntry<Entry> {
  if (!isMapping(given)) {
    const problem = { path, message: 'must be an object with named fields' };
    return { draft: { path, fields: {}, invalidFields: new Set(knownFields(type)) }, problems: [problem] };
  }
  const known = knownFields(type);
  const entry = plainToInstance(type, pick(given, known));
  const errors = validateSync(entry, { forbidUnknownValues: true, whitelist: true, forbidNonWhitelisted: true });
  const invalidFields = new Set(errors.map(({ property }) => property));
  const valid = known.filter((name) => !invalidFields.has(name));
  return {
    draft: { path, fields: pick(entry as Record<string, unknown>, valid) as Partial<Entry>, invalidFields },
    problems: [
      ...findUnknown(given, known, { kind: 'field', prefix: `${path}.` }),
      ...findUnknownWithin(errors, path),
      ...fieldProblems(errors, path).map(inFile),
    ],
  };
}

/** Reports unknown members of fields that are objects themselves. */
function findUnknownWithin(errors: readonly ValidationError[], path: string): Problem[] {
  return errors.flatMap(({ property, constraints = {}, children = [] }) =>
    'whitelistValidation' in constraints
      ? [{ path: `${path}.${property}`, message: 'is not a known field' }]
      : findUnknownWithin(children, `${path}.${property}`),
  );
}

/** A problem as the API words it, without the name of the field, which the path contains. YAML reads some texts as numbers or dates. */
function inFile({ path, message }: FieldProblem): Problem {
  const [field = '', ...words] = message.replace(/^each value in /, '').split(' ');
  const rest = path.includes(field) ? words.join(' ') : message;
  return { path, message: rest === 'must be a string' ? `${rest} (in YAML, put a number or a date into quotes)` : rest };
}

/** The names of the properties that carry decorators. */
function knownFields(type: new () => object): string[] {
  const metadata = getMetadataStorage().getTargetValidationMetadatas(type, '', false, false);
  return [...new Set(metadata.map(({ propertyName }) => propertyName))];
}

const pick = (values: Readonly<Record<string, unknown>>, names: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(names.filter((name) => Object.hasOwn(values, name)).map((name) => [name, values[name]]));

/** Reports every unknown member of `given`, so that a typo is not ignored. `prefix` is the path before its name. */
function findUnknown(given: object, known: readonly string[], { kind, prefix }: { kind: string; prefix: string }): Problem[] {
  const unknown = Object.keys(given).filter((name) => !known.includes(name));
  return unknown.map((name) => ({ path: `${prefix}${name}`, message: `is not a known ${kind}; known are ${known.join(', ')}` }));
}
