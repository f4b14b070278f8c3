import { defineEmailTemplate, nameDropsite } from '../email-template.js';

/** Template for event:dropsiteUploadStarted. Further parameters: `dropsiteName?`, `url?`. */
export const dropsiteUploadStarted = defineEmailTemplate(
  {
    en: {
      subject: (dropsite: string) => `Upload started: ${dropsite}`,
      heading: 'Upload started',
      lead: (files: string, size: string) => `An upload of ${files} (${size}) to your dropsite has started.`,
      later: 'You can use the files when the upload is complete.',
    },
    de: {
      subject: (dropsite) => `Upload begonnen: ${dropsite}`,
      heading: 'Upload begonnen',
      lead: (files, size) => `Der Upload von ${files} (${size}) in Ihre Dropsite hat begonnen.`,
      later: 'Sie können die Dateien nutzen, sobald der Upload abgeschlossen ist.',
    },
  },
  (words, given, { formats, terms }) => {
    const { dropsite, inSubject } = nameDropsite(given, terms);
    const [count, size, seconds] = [given.count('items') ?? 0, given.number('totalSize') ?? 0, given.number('duration')];
    const lead = words.lead(formats.count(count, terms.files), formats.size(size));
    return {
      subject: words.subject(inSubject),
      heading: words.heading,
      paragraphs: [lead, words.later],
      facts: [
        [terms.dropsite, dropsite],
        [terms.amount, formats.number(count)],
        [terms.size, formats.size(size)],
        [terms.duration, seconds === null ? null : formats.duration(seconds)],
        [terms.upload, given.line('uploadId')],
      ],
    };
  },
);
