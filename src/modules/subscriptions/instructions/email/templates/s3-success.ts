import { defineEmailTemplate } from '../email-template.js';

/** Template for event:s3success. Further parameters: `title?` (of the media container), `url?`. */
export const s3success = defineEmailTemplate(
  {
    en: {
      subject: (what: string) => `File arrived: ${what}`,
      heading: 'A file has arrived',
      lead: 'The upload of a file is complete.',
    },
    de: {
      subject: (what) => `Datei angekommen: ${what}`,
      heading: 'Eine Datei ist angekommen',
      lead: 'Eine Datei wurde vollständig hochgeladen.',
    },
  },
  (words, given, { terms }) => {
    const [title, id, media] = [given.line('title'), given.line('mediaContainerId'), given.line('mediaId')];
    const container = title ?? terms.numbered(id ?? '?');
    return {
      subject: words.subject(title ?? `${terms.mediaContainer} ${container}`),
      heading: words.heading,
      paragraphs: [words.lead],
      facts: [
        [terms.mediaContainer, container],
        [terms.media, media && terms.numbered(media)],
      ],
    };
  },
);
