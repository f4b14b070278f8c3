import { viewerLanguages } from '../../shared/web/index.js';

/** The languages of the account pages and their mails. */
export const LANGUAGES = ['en', 'de'] as const;
export type Language = (typeof LANGUAGES)[number];

/** The language of these that was asked for; English for others. */
export const toLanguage = (wanted: unknown): Language => LANGUAGES.find((language) => language === wanted) ?? 'en';

/** The first language of these that `Accept-Language` prefers, with or without a region; English for others. */
export const languageOf = (acceptLanguage: string | undefined): Language =>
  toLanguage(
    viewerLanguages(acceptLanguage)
      .map((language) => language.split('-')[0]?.toLowerCase())
      .find((language) => LANGUAGES.some((known) => known === language)),
  );
