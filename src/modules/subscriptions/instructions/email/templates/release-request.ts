import { defineEmailTemplate } from '../email-template.js';

/** Template for event:releaseRequest. Further parameters: `title?` (of the media container), `requesterName?`, `url?` (where to release it). */
export const releaseRequest = defineEmailTemplate(
  {
    en: {
      subject: (what: string) => `Release requested: ${what}`,
      heading: 'Release requested',
      lead: (who: string | null) => `${who ?? 'A user'} asks you to release a media container.`,
      requester: 'Requested by',
      person: (id: string) => `User no. ${id}`,
    },
    de: {
      subject: (what) => `Freigabe erbeten: ${what}`,
      heading: 'Freigabe erbeten',
      lead: (who) => `${who ?? 'Ein Benutzer'} bittet Sie, einen Mediencontainer freizugeben.`,
      requester: 'Erbeten von',
      person: (id) => `Benutzer Nr. ${id}`,
    },
  },
  (words, given, { terms }) => {
    const [title, id] = [given.line('title'), given.line('mediaContainerId')];
    const [name, requester] = [given.line('requesterName'), given.line('requesterId')];
    const container = title ?? terms.numbered(id ?? '?');
    return {
      subject: words.subject(title ?? `${terms.mediaContainer} ${container}`),
      heading: words.heading,
      paragraphs: [words.lead(name)],
      quote: given.text('message'),
      facts: [
        [terms.mediaContainer, container],
        [words.requester, name ?? (requester && words.person(requester))],
      ],
    };
  },
);
