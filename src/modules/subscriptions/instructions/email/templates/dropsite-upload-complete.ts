import { defineEmailTemplate, nameDropsite } from '../email-template.js';

/** Template for event:dropsiteUploadComplete. Further parameters: `dropsiteName?`, `url?`. */
export const dropsiteUploadComplete = defineEmailTemplate(
  {
    en: {
      subject: (dropsite: string) => `New files: ${dropsite}`,
      heading: 'New files have arrived',
      lead: (sender: string | null, what: string) => `${sender ?? 'An anonymous sender'} has uploaded ${what} to your dropsite.`,
    },
    de: {
      subject: (dropsite) => `Neue Dateien: ${dropsite}`,
      heading: 'Neue Dateien sind eingetroffen',
      lead: (sender, what) => `${sender ?? 'Ein anonymer Absender'} hat ${what} in Ihre Dropsite hochgeladen.`,
    },
  },
  (words, given, { formats, terms }) => {
    const { dropsite, inSubject } = nameDropsite(given, terms);
    const sender = given.line('email');
    const lead = words.lead(sender, formats.count(given.count('mediaContainerIds') ?? 0, terms.containers));
    return {
      subject: words.subject(inSubject),
      heading: words.heading,
      paragraphs: [lead],
      facts: [
        [terms.dropsite, dropsite],
        [terms.sender, sender],
        [terms.upload, given.line('uploadId')],
      ],
    };
  },
);
