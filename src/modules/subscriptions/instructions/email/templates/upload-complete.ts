import { defineEmailTemplate, knownFacts } from '../email-template.js';

/** Template for event:uploadComplete. Further parameters: `title?`, `url?` (the page that shows it). */
export const uploadComplete = defineEmailTemplate(
  {
    en: {
      subject: (what: string) => `Upload complete: ${what}`,
      heading: 'Upload complete',
      lead: (what: string) => `The upload is complete. Received: ${what}.`,
    },
    de: {
      subject: (what: string) => `Upload abgeschlossen: ${what}`,
      heading: 'Upload abgeschlossen',
      lead: (what: string) => `Der Upload ist abgeschlossen. Empfangen: ${what}.`,
    },
  },
  (words, given, { formats, terms }) => {
    const containers = formats.count(given.count('mediaContainerIds') ?? 0, terms.containers);
    const url = given.url('url');
    const dropsite = given.line('dropsiteId');
    return {
      subject: words.subject(given.line('title') ?? containers),
      preheader: words.lead(containers),
      heading: words.heading,
      paragraphs: [words.lead(containers)],
      quote: null,
      facts: knownFacts([
        [terms.dropsite, given.line('dropsiteName') ?? (dropsite && terms.numbered(dropsite))],
        [terms.upload, given.line('uploadId')],
      ]),
      action: url ? { label: terms.open, url } : null,
      note: null,
    };
  },
);
