import { defineEmailTemplate } from '../email-template.js';

/** Template for event:transcoderJobComplete. Further parameters: `title?` (of the media container), `formatName?`, `url?`. */
export const transcoderJobComplete = defineEmailTemplate(
  {
    en: {
      subject: (succeeded: boolean, what: string) => `${succeeded ? 'Transcoding complete' : 'Transcoding failed'}: ${what}`,
      heading: (succeeded: boolean): string => (succeeded ? 'Transcoding complete' : 'Transcoding failed'),
      lead: {
        made: 'The file is available in the new format.',
        skipped:
          'No file was made in the new format: a smaller format already has the full quality of the original, or there is nothing to convert.',
        failed: 'The file could not be converted to the new format. The original is unchanged.',
      },
    },
    de: {
      subject: (succeeded, what) => `${succeeded ? 'Umwandlung abgeschlossen' : 'Umwandlung fehlgeschlagen'}: ${what}`,
      heading: (succeeded) => (succeeded ? 'Umwandlung abgeschlossen' : 'Umwandlung fehlgeschlagen'),
      lead: {
        made: 'Die Datei steht im neuen Format bereit.',
        skipped:
          'Im neuen Format wurde keine Datei erzeugt: Ein kleineres Format hat bereits die volle Qualität des Originals, oder es gibt nichts umzuwandeln.',
        failed: 'Die Datei konnte nicht in das neue Format umgewandelt werden. Das Original ist unverändert.',
      },
    },
  },
  (words, given, { terms }) => {
    const succeeded = given.line('status') === 'successful';
    const lead = words.lead[succeeded ? (given.isTrue('skipped') ? 'skipped' : 'made') : 'failed'];
    const [title, id] = [given.line('title'), given.line('mediaContainerId')];
    const [format, media] = [given.line('formatId'), given.line('mediaId')];
    const container = title ?? terms.numbered(id ?? '?');
    return {
      subject: words.subject(succeeded, title ?? `${terms.mediaContainer} ${container}`),
      heading: words.heading(succeeded),
      paragraphs: [lead],
      facts: [
        [terms.mediaContainer, container],
        [terms.media, media && terms.numbered(media)],
        [terms.format, given.line('formatName') ?? (format && terms.numbered(format))],
        [terms.job, given.line('jobId')],
      ],
    };
  },
);
