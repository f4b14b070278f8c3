import { cleanText } from '../command/clean-text.js';
import type { MetadataDefinition } from '../format-settings.js';
import { chooseLanguage, languageOf, UNIVERSAL, wantedLanguages } from './choose-language.js';
import { describeValidity, findUsageTerms } from './describe-license.js';
import type { DescribedItem, DescribedMetadata } from './described-item.js';

/** What a definition finds on an item; empty: nothing, and nothing is written (specification, Metadata rule 7). */
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

/** A row of that title, else what the container says itself. */
const rowOr =
  (own: (item: DescribedItem) => string): Finder =>
  (definition, item) => {
    const rows = findRow(definition, item);
    return rows.length > 0 ? rows : [own(item)];
  };

/**
 * All languages, unless `languages` names some (specification, Metadata rule 6; `language` is a preference only). The container's own tags
 * are of no language; a row may hold several with commas between them.
 */
const findKeywords: Finder = (definition, item) => {
  const wanted = wantedLanguages({ metaTitle: definition.metaTitle, languages: definition.languages });
  const isWanted = (language: string) => wanted.length === 0 || wanted.includes(language);
  const own = isWanted(UNIVERSAL) ? item.tags : [];
  const rows = rowsTitled(item, definition.metaTitle).filter((row) => isWanted(languageOf(row)));
  return [...new Set([...own, ...rows.flatMap(({ content }) => content.split(','))].map((word) => word.trim()))];
};

/** The license object wins over rows titled license. */
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

/** What to say when nothing was found. */
export function explainNothing(definition: MetadataDefinition): string {
  const wanted = wantedLanguages(definition);
  return wanted.length === 0 ? 'the item has none' : `the item has none in ${wanted.join(', ')}`;
}
