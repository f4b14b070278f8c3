/** The languages of the templates; readers of other languages get the first one. */
export const EMAIL_LANGUAGES = ['en', 'de'] as const;

export type EmailLanguage = (typeof EMAIL_LANGUAGES)[number];

/** The language of the mail for a reader of the language `wanted` (BCP 47, of which the base language counts). */
export function emailLanguage(wanted: string | undefined): EmailLanguage {
  const base = wanted?.trim().toLowerCase().split(/[-_]/)[0];
  return EMAIL_LANGUAGES.find((language) => language === base) ?? EMAIL_LANGUAGES[0];
}

/** The singular and plural forms of a count; `#` is the number. */
export interface Counted {
  readonly one: string;
  readonly other: string;
}

/** Words that several templates use. */
export interface EmailTerms {
  readonly amount: string;
  readonly containers: Counted;
  readonly dropsite: string;
  readonly duration: string;
  readonly files: Counted;
  readonly format: string;
  readonly job: string;
  readonly media: string;
  readonly mediaContainer: string;
  readonly open: string;
  readonly publicAreas: string;
  readonly sender: string;
  readonly size: string;
  readonly upload: string;
  /** Names a thing by its id, if its name is not known. */
  numbered(id: string): string;
}

export const emailTerms: Readonly<Record<EmailLanguage, EmailTerms>> = {
  en: {
    amount: 'Files',
    containers: { one: '# media container', other: '# media containers' },
    dropsite: 'Dropsite',
    duration: 'Expected duration',
    files: { one: '# file', other: '# files' },
    format: 'Format',
    job: 'Job',
    media: 'File',
    mediaContainer: 'Media container',
    numbered: (id) => `no. ${id}`,
    open: 'Open',
    publicAreas: 'Public areas',
    sender: 'From',
    size: 'Size',
    upload: 'Upload',
  },
  de: {
    amount: 'Dateien',
    containers: { one: '# Mediencontainer', other: '# Mediencontainer' },
    dropsite: 'Dropsite',
    duration: 'Erwartete Dauer',
    files: { one: '# Datei', other: '# Dateien' },
    format: 'Format',
    job: 'Auftrag',
    media: 'Datei',
    mediaContainer: 'Mediencontainer',
    numbered: (id) => `Nr. ${id}`,
    open: 'Öffnen',
    publicAreas: 'Öffentliche Bereiche',
    sender: 'Von',
    size: 'Größe',
    upload: 'Upload',
  },
};

/** The words that surround the content of every mail. */
interface FrameWords {
  readonly hint: string;
  sentBy(service: string, host: string): string;
}

export const emailFrameWords: Readonly<Record<EmailLanguage, FrameWords>> = {
  en: {
    hint: 'If the button does not work, open this address in your browser:',
    sentBy: (service, host) => `${service} at ${host} sent this e-mail automatically.`,
  },
  de: {
    hint: 'Falls die Schaltfläche nicht funktioniert, öffnen Sie diese Adresse in Ihrem Browser:',
    sentBy: (service, host) => `${service} auf ${host} hat diese E-Mail automatisch gesendet.`,
  },
};
