import type { MetadataDefinition } from '../format-settings.js';
import type { DescribedMetadata } from './described-item.js';

/** Metadata of no particular language. */
export const UNIVERSAL = 'uni';

/** The languages that a definition asks for, the preferred first; empty: all are equal. */
export function wantedLanguages({ languages, language }: MetadataDefinition): readonly string[] {
  const named = languages && languages.length > 0 ? languages : language ? [language] : [];
  return named.map((one) => one.toLowerCase());
}

export const languageOf = ({ language }: DescribedMetadata): string => language?.toLowerCase() || UNIVERSAL;

/**
 * The row in the first of the wanted languages that there is, else in `uni`; if none is wanted, else the first (specification, Metadata
 * rule 5).
 */
export function chooseLanguage(rows: readonly DescribedMetadata[], wanted: readonly string[]): DescribedMetadata | null {
  for (const language of [...wanted, UNIVERSAL]) {
    const row = rows.find((one) => languageOf(one) === language);
    if (row) return row;
  }
  return wanted.length === 0 ? (rows[0] ?? null) : null;
}
