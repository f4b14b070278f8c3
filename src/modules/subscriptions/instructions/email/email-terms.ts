import type { Counted } from './email-formats.js';
import type { EmailLanguage } from './email-language.js';

/** Words that several templates need. */
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
  /** By the id, of what has no name that is known here. */
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
