import type { Draft } from './draft.js';
import { findUnknown } from './find-unknown.js';
import type { Problem } from './problem.js';
import { readEntry } from './read-entry.js';
import type { NaturalKey } from './section.js';
import { sections } from './sections.js';

export interface ReadSections {
  /** The entries of every section, also of those that the file leaves out. */
  readonly drafts: Readonly<Record<string, readonly Draft<object>[]>>;
  readonly problems: readonly Problem[];
}

/** Checks all that can be checked of a file by itself, except for references between its entries. */
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

/** The natural key of an entry as it is compared; undefined when it has no sound one. */
export function keyOf(name: string, { fields }: Draft<object>): NaturalKey | undefined {
  const section = sections[name];
  const value = section && (fields as Record<string, unknown>)[section.key];
  if (section?.identify) return section.identify(fields);
  return section && typeof value === 'string' ? { field: section.key, value: section.normalize(value) } : undefined;
}
