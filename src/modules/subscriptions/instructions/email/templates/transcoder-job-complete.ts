import { defineEmailTemplate, knownFacts } from '../email-template.js';

/** Of event:transcoderJobComplete. Further parameters: `title?` (of the media container), `formatName?`, `url?`. */
export const transcoderJobComplete = defineEmailTemplate(
  {
    en: {
      subject: (succeeded: boolean, what: string) => `${succeeded ? 'Transcoding complete' : 'Transcoding failed'}: ${what}`,
      heading: (succeeded: boolean) => (succeeded ? 'Transcoding complete' : 'Transcoding failed'),
      lead: (succeeded: boolean) =>
        succeeded
          ? 'The file is available in the new format.'
          : 'The file could not be converted to the new format. The original is unchanged.',
    },
    de: {
      subject: (succeeded: boolean, what: string) => `${succeeded ? 'Umwandlung abgeschlossen' : 'Umwandlung fehlgeschlagen'}: ${what}`,
      heading: (succeeded: boolean) => (succeeded ? 'Umwandlung abgeschlossen' : 'Umwandlung fehlgeschlagen'),
      lead: (succeeded: boolean) =>
        succeeded
          ? 'Die Datei steht im neuen Format bereit.'
          : 'Die Datei konnte nicht in das neue Format umgewandelt werden. Das Original ist unverändert.',
    },
  },
  (words, given, { terms }) => {
    const succeeded = given.line('status') === 'successful';
    const [title, id, url] = [given.line('title'), given.line('mediaContainerId'), given.url('url')];
    const [format, media] = [given.line('formatId'), given.line('mediaId')];
    const container = title ?? terms.numbered(id ?? '?');
    return {
      subject: words.subject(succeeded, title ?? `${terms.mediaContainer} ${container}`),
      preheader: words.lead(succeeded),
      heading: words.heading(succeeded),
      paragraphs: [words.lead(succeeded)],
      quote: null,
      facts: knownFacts([
        [terms.mediaContainer, container],
        [terms.media, media && terms.numbered(media)],
        [terms.format, given.line('formatName') ?? (format && terms.numbered(format))],
        [terms.job, given.line('jobId')],
      ]),
      action: url ? { label: terms.open, url } : null,
      note: null,
    };
  },
);
