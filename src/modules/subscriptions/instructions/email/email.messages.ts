import { messages } from '../../../../shared/languages.js';

/** Words that several templates use. */
export const emailTerms = messages({
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
    /** Names a thing by its id, if its name is not known. */
    numbered: (id: string) => `no. ${id}`,
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
});

export type EmailTerms = (typeof emailTerms)['en'];

/** The words that surround the content of every mail. */
export const emailFrameWords = messages({
  en: {
    hint: 'If the button does not work, open this address in your browser:',
    sentBy: (service: string, host: string) => `${service} at ${host} sent this e-mail automatically.`,
  },
  de: {
    hint: 'Falls die Schaltfläche nicht funktioniert, öffnen Sie diese Adresse in Ihrem Browser:',
    sentBy: (service, host) => `${service} auf ${host} hat diese E-Mail automatisch gesendet.`,
  },
});
