/** The languages of the account pages and their mails. */
export const LANGUAGES = ['en', 'de'] as const;
export type Language = (typeof LANGUAGES)[number];

/** The language of these that was asked for; English for others. */
export const toLanguage = (wanted: unknown): Language => LANGUAGES.find((language) => language === wanted) ?? 'en';
