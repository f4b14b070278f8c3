import { defineEmailTemplate } from '../email-template.js';

/** Parameters: `url`, `title?`, `fileCount?`, `expiresAt?` (unix seconds or ISO 8601), `senderName?`, `message?`. */
export const downloadLink = defineEmailTemplate(
  {
    en: {
      subject: (title: string | null, sender: string | null) =>
        title ? `Ready to download: ${title}` : sender ? `${sender} has sent you files` : 'Your files are ready to download',
      heading: 'Your download is ready',
      lead: (sender: string | null, files: string | null) =>
        sender ? `${sender} has sent you ${files ?? 'files'}.` : `You can download ${files ?? 'files'}.`,
      title: 'Title',
      until: 'Available until',
      action: 'Download',
      note: 'Anyone with this link can download the files. Share it only with people who are allowed to have them.',
    },
    de: {
      subject: (title, sender) =>
        title
          ? `Download bereit: ${title}`
          : sender
            ? `${sender} hat Ihnen Dateien gesendet`
            : 'Ihre Dateien sind zum Herunterladen bereit',
      heading: 'Ihr Download ist bereit',
      lead: (sender, files) =>
        sender ? `${sender} hat Ihnen ${files ?? 'Dateien'} gesendet.` : `Sie können ${files ?? 'Dateien'} herunterladen.`,
      title: 'Titel',
      until: 'Verfügbar bis',
      action: 'Herunterladen',
      note: 'Jede Person mit diesem Link kann die Dateien herunterladen. Geben Sie ihn nur an Berechtigte weiter.',
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
      heading: words.heading,
      paragraphs: [lead],
      quote: given.text('message'),
      facts: [
        [words.title, title],
        [words.until, until && formats.moment(until)],
      ],
      action: { label: words.action, url: given.requiredUrl('url') },
      note: words.note,
    };
  },
);
