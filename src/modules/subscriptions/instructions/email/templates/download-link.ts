import { defineEmailTemplate, knownFacts } from '../email-template.js';

/** Parameters: `url`, `title?`, `fileCount?`, `expiresAt?` (unix seconds or ISO 8601), `senderName?`, `message?`. */
export const downloadLink = defineEmailTemplate(
  {
    en: {
      subject: (title: string | null, sender: string | null) =>
        title ? `Ready to download: ${title}` : sender ? `${sender} has files for you` : 'Your files are ready to download',
      heading: 'Your download is ready',
      lead: (sender: string | null, files: string | null) =>
        sender ? `${sender} has sent you ${files ?? 'files'}.` : `${files ?? 'Files'} for you.`,
      title: 'Title',
      until: 'Available until',
      action: 'Download',
      note: 'Whoever has this link can download the files. Pass it on only to people who may have them.',
    },
    de: {
      subject: (title: string | null, sender: string | null) =>
        title ? `Zum Herunterladen: ${title}` : sender ? `${sender} hat Dateien für Sie` : 'Ihre Dateien sind zum Herunterladen bereit',
      heading: 'Ihr Download ist bereit',
      lead: (sender: string | null, files: string | null) =>
        sender ? `${sender} hat Ihnen ${files ?? 'Dateien'} gesendet.` : `${files ?? 'Dateien'} für Sie.`,
      title: 'Titel',
      until: 'Verfügbar bis',
      action: 'Herunterladen',
      note: 'Wer diesen Link kennt, kann die Dateien herunterladen. Geben Sie ihn nur an Personen weiter, die sie haben dürfen.',
    },
  },
  (words, given, { formats, terms }) => {
    const [title, sender, count, until] = [
      given.line('title'),
      given.line('senderName', 'sender'),
      given.count('fileCount'),
      given.moment('expiresAt'),
    ];
    const lead = words.lead(sender, count === null ? null : formats.count(count, terms.files));
    return {
      subject: words.subject(title, sender),
      preheader: lead,
      heading: words.heading,
      paragraphs: [lead],
      quote: given.text('message'),
      facts: knownFacts([
        [words.title, title],
        [words.until, until && formats.moment(until)],
      ]),
      action: { label: words.action, url: given.requiredUrl('url') },
      note: words.note,
    };
  },
);
