/** The languages in which there are templates; the first one is for everybody else. */
export const EMAIL_LANGUAGES = ['en', 'de'] as const;

export type EmailLanguage = (typeof EMAIL_LANGUAGES)[number];

/** The language to write in to somebody who reads this one (BCP 47, the base language counts). */
export function emailLanguage(wanted: string | undefined): EmailLanguage {
  const base = wanted?.trim().toLowerCase().split(/[-_]/)[0];
  return EMAIL_LANGUAGES.find((language) => language === base) ?? EMAIL_LANGUAGES[0];
}
