import type { MediaType } from '../../media/index.js';
import { cleanText } from '../clean-text.js';
import type { MetadataDefinition } from '../format-settings.dto.js';

/** An entry of descriptive metadata; without a language it counts as `uni`. */
interface DescribedMetadata {
  readonly title: string;
  readonly content: string;
  readonly language?: string;
}

/**
 * The parts of a media container's description that are written into files. `license` is as stored: name, usageTerms, start, end, types.
 */
export interface DescribedItem {
  readonly type: MediaType | 'watermark';
  readonly name: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly license: Readonly<Record<string, unknown>> | null;
  readonly metadata: readonly DescribedMetadata[];
}

/** The language of metadata without a particular language. */
const UNIVERSAL = 'uni';

/** The languages of a definition, the preferred one first; empty: no preference. */
function wantedLanguages({ languages, language }: MetadataDefinition): readonly string[] {
  const named = languages && languages.length > 0 ? languages : language ? [language] : [];
  return named.map((one) => one.toLowerCase());
}

const languageOf = ({ language }: DescribedMetadata): string => language?.toLowerCase() || UNIVERSAL;

/**
 * Chooses the entry in the first wanted language that exists, otherwise in `uni`; if no language is wanted, otherwise the first entry
 * (specification, Metadata rule 5).
 */
function chooseLanguage(rows: readonly DescribedMetadata[], wanted: readonly string[]): DescribedMetadata | null {
  for (const language of [...wanted, UNIVERSAL]) {
    const row = rows.find((one) => languageOf(one) === language);
    if (row) return row;
  }
  return wanted.length === 0 ? (rows[0] ?? null) : null;
}

/** A container's license, as stored. */
type License = Readonly<Record<string, unknown>> | null;

/** Finds the terms of use: the license's usageTerms, otherwise its name. */
const findUsageTerms = (license: License): string | null => findText(license?.usageTerms) ?? findText(license?.name);

/** Describes the period and the purposes of a license in sentences; null: the license states neither. */
function describeValidity(license: License): string | null {
  const types = Array.isArray(license?.types) ? license.types.map(findText).filter((type) => type !== null) : [];
  const parts = [
    withPrefix('Valid from', findDay(license?.start)),
    withPrefix('Valid until', findDay(license?.end)),
    withPrefix('Permitted for', types.join(', ') || null),
  ].filter((part) => part !== null);
  return parts.length > 0 ? `${parts.join('. ')}.` : null;
}

const withPrefix = (prefix: string, text: string | null): string | null => (text === null ? null : `${prefix} ${text}`);

const findText = (value: unknown): string | null => (typeof value === 'string' && value.trim() !== '' ? value.trim() : null);

/** The latest moment that a Date can represent. */
const MAX_SECONDS = 8_640_000_000_000;

/** Returns the UTC date of a time in Unix seconds or ISO 8601. */
function findDay(value: unknown): string | null {
  const isTime = typeof value === 'number' && value > 0 && value <= MAX_SECONDS;
  const date = isTime ? new Date(value * 1000) : new Date(findText(value) ?? Number.NaN);
  return Number.isNaN(date.getTime()) ? null : date.toISOString().slice(0, -'T00:00:00.000Z'.length);
}

/** Finds the values of a definition for an item; empty: nothing is written (specification, Metadata rule 7). */
export function findValues(definition: MetadataDefinition, item: DescribedItem): readonly string[] {
  const find = SPECIAL.get(definition.metaTitle.toLowerCase()) ?? findRow;
  return find(definition, item)
    .map(cleanText)
    .filter((text) => text !== '');
}

type Finder = (definition: MetadataDefinition, item: DescribedItem) => readonly string[];

const rowsTitled = (item: DescribedItem, title: string): readonly DescribedMetadata[] =>
  item.metadata.filter((row) => row.title.toLowerCase() === title.toLowerCase());

const findRow: Finder = (definition, item) => {
  const row = chooseLanguage(rowsTitled(item, definition.metaTitle), wantedLanguages(definition));
  return row ? [row.content] : [];
};

/** Finds an entry with that title, otherwise the container's own property. */
const rowOr =
  (own: (item: DescribedItem) => string): Finder =>
  (definition, item) => {
    const rows = findRow(definition, item);
    return rows.length > 0 ? rows : [own(item)];
  };

/**
 * Finds the keywords in all languages, unless `languages` names some (specification, Metadata rule 6; `language` is only a preference). The
 * container's own tags have no language; an entry may contain several, separated by commas.
 */
const findKeywords: Finder = (definition, item) => {
  const wanted = wantedLanguages({ metaTitle: definition.metaTitle, languages: definition.languages });
  const isWanted = (language: string) => wanted.length === 0 || wanted.includes(language);
  const own = isWanted(UNIVERSAL) ? item.tags : [];
  const rows = rowsTitled(item, definition.metaTitle).filter((row) => isWanted(languageOf(row)));
  return [...new Set([...own, ...rows.flatMap(({ content }) => content.split(','))].map((word) => word.trim()))];
};

/** Finds the license; the license object takes precedence over entries with the title license. */
const findLicense: Finder = (definition, item) => {
  const terms = findUsageTerms(item.license);
  return terms === null ? findRow(definition, item) : [terms];
};

const findInstructions: Finder = ({ value }, item) => [value || (describeValidity(item.license) ?? '')];

const SPECIAL: ReadonlyMap<string, Finder> = new Map([
  ['container_name', (_, { name }) => [name]],
  ['container_description', (_, { description }) => [description]],
  ['title', rowOr(({ name }) => name)],
  ['description', rowOr(({ description }) => description)],
  ['keywords', (definition, item) => findKeywords(definition, { ...item, tags: [] })],
  ['tags', findKeywords],
  ['license', findLicense],
  ['instructions', findInstructions],
]);

/** Explains why a definition has no values. */
export function explainMissingValues(definition: MetadataDefinition): string {
  const wanted = wantedLanguages(definition);
  return wanted.length === 0 ? 'the item has none' : `the item has none in ${wanted.join(', ')}`;
}
