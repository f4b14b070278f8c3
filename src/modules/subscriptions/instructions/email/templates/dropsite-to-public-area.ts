import { defineEmailTemplate, nameDropsite } from '../email-template.js';

/** Template for event:dropsiteToPublicArea. Further parameters: `dropsiteName?`, `url?`. */
export const dropsiteToPublicArea = defineEmailTemplate(
  {
    en: {
      subject: (dropsite: string) => `New files for public areas: ${dropsite}`,
      heading: 'New files for public areas',
      lead: (what: string, areas: string) => `A dropsite that is connected to ${areas} has received ${what}.`,
      areas: { one: '# public area', other: '# public areas' },
    },
    de: {
      subject: (dropsite) => `Neue Dateien für öffentliche Bereiche: ${dropsite}`,
      heading: 'Neue Dateien für öffentliche Bereiche',
      lead: (what, areas) => `Eine Dropsite, die mit ${areas} verbunden ist, hat ${what} erhalten.`,
      areas: { one: '# öffentlichem Bereich', other: '# öffentlichen Bereichen' },
    },
  },
  (words, given, { formats, terms }) => {
    const { dropsite, inSubject } = nameDropsite(given, terms);
    const areas = given.count('publicAreaIds') ?? 0;
    const lead = words.lead(formats.count(given.count('mediaContainerIds') ?? 0, terms.containers), formats.count(areas, words.areas));
    return {
      subject: words.subject(inSubject),
      heading: words.heading,
      paragraphs: [lead],
      facts: [
        [terms.dropsite, dropsite],
        [terms.publicAreas, formats.number(areas)],
      ],
    };
  },
);
