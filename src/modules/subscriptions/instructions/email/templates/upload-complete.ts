import { defineEmailTemplate } from '../email-template.js';

/** Template for event:uploadComplete. Further parameters: `title?`, `url?` (the page that shows it). */
export const uploadComplete = defineEmailTemplate(
  {
    en: {
      subject: (what: string) => `Upload complete: ${what}`,
      heading: 'Upload complete',
      lead: (what: string) => `The upload is complete. Received: ${what}.`,
    },
    de: {
      subject: (what) => `Upload abgeschlossen: ${what}`,
      heading: 'Upload abgeschlossen',
      lead: (what) => `Der Upload ist abgeschlossen. Empfangen: ${what}.`,
    },
  },
  (words, given, { formats, terms }) => {
    const containers = formats.count(given.count('mediaContainerIds') ?? 0, terms.containers);
    const dropsite = given.line('dropsiteId');
    return {
      subject: words.subject(given.line('title') ?? containers),
      heading: words.heading,
      paragraphs: [words.lead(containers)],
      facts: [
        [terms.dropsite, given.line('dropsiteName') ?? (dropsite && terms.numbered(dropsite))],
        [terms.upload, given.line('uploadId')],
      ],
    };
  },
);
