import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { MetadataDefinition } from '../format-settings.dto.js';
import { buildMetadataTags } from './build-metadata-tags.js';
import { findIptcLimit } from './find-tags.js';
import type { DescribedItem } from './find-values.js';

const item: DescribedItem = {
  type: 'image',
  name: 'Harbour at dawn',
  description: 'Fishing boats leave the harbour.',
  tags: ['harbour', 'boats'],
  license: { name: 'Editorial', usageTerms: 'Editorial use only', start: 1_767_225_600, end: 1_798_675_200, types: ['web', 'print'] },
  metadata: [
    { title: 'author', content: 'Ada Vandermeer' },
    { title: 'headline', content: 'Morgens im Hafen', language: 'de' },
    { title: 'headline', content: 'Morning in the harbour', language: 'en' },
    { title: 'credit', content: 'Harbour Press', language: 'uni' },
    { title: 'tags', content: 'Hafen, Boote', language: 'de' },
    { title: 'tags', content: 'harbor', language: 'en' },
    { title: 'meta_iptc_City', content: 'Rotterdam' },
    { title: 'meta_exif_Model', content: 'X100' },
    { title: 'mood', content: 'calm' },
  ],
};
const build = (metadata: readonly MetadataDefinition[], changes: Partial<DescribedItem> = {}, filetype?: string) =>
  buildMetadataTags({
    settings: { metadata, filetype },
    item: { ...item, ...changes },
    customer: { name: 'Example Press' },
    serviceName: 'Media Platform',
  });
/** What definitions write, apart from what every image carries. */
const written = (metadata: readonly MetadataDefinition[], changes: Partial<DescribedItem> = {}) =>
  Object.fromEntries(
    build(metadata, changes)
      .tags.filter(({ metaTitle }) => metaTitle !== null)
      .map(({ tag, values }) => [tag, values]),
  );
const reasons = (metadata: readonly MetadataDefinition[], changes: Partial<DescribedItem> = {}) =>
  build(metadata, changes).skipped.map(({ reason }) => reason);

describe('every image', () => {
  it("carries the customer's name as its source and the service as its tool", () => {
    expect(build([]).tags).toEqual([
      { tag: 'IPTC:Source', values: ['Example Press'], metaTitle: null },
      { tag: 'XMP-photoshop:Source', values: ['Example Press'], metaTitle: null },
      { tag: 'XMP-xmp:CreatorTool', values: ['Media Platform'], metaTitle: null },
    ]);
  });

  it("holds a long customer's name in 32 bytes of IPTC, and whole in XMP", () => {
    const name = 'Süddeutsche Bildagentur für Häfen und Öresund';
    const { tags } = buildMetadataTags({ settings: {}, item, customer: { name }, serviceName: 's' });
    expect(tags.map(({ values }) => values[0])).toEqual(['Süddeutsche Bildagentur für H', name, 's']);
  });

  it.each(['jpg', '.PNG', 'webp'])('is also one that is made of something else, by its file type %s', (filetype) => {
    expect(build([], { type: 'video' }, filetype).tags).toHaveLength(3);
  });

  it('is not a video or a document', () => {
    const { tags, skipped } = build([{ metaTitle: 'author' }], { type: 'video' });
    expect(tags).toEqual([]);
    expect(skipped).toEqual([{ metaTitle: 'author', reason: 'only images carry metadata' }]);
    expect(build([], {}, 'pdf').tags).toEqual([]);
  });
});

describe('a metaTitle', () => {
  it.each<[string, Record<string, string[]>]>([
    ['container_name', { 'IPTC:ObjectName': ['Harbour at dawn'], 'XMP-dc:Title': ['Harbour at dawn'] }],
    ['title', { 'IPTC:ObjectName': ['Harbour at dawn'], 'XMP-dc:Title': ['Harbour at dawn'] }],
    ['author', { 'IPTC:By-line': ['Ada Vandermeer'], 'XMP-dc:Creator': ['Ada Vandermeer'], 'EXIF:Artist': ['Ada Vandermeer'] }],
    ['Credit', { 'IPTC:Credit': ['Harbour Press'], 'XMP-photoshop:Credit': ['Harbour Press'] }],
    ['meta_iptc_City', { 'IPTC:City': ['Rotterdam'] }],
    ['meta_exif_Model', { 'EXIF:Model': ['X100'] }],
  ])('%s is written into its fields', (metaTitle, tags) => {
    expect(written([{ metaTitle }])).toEqual(tags);
  });

  it('description is written for editors, browsers and viewers', () => {
    expect(Object.keys(written([{ metaTitle: 'container_description' }]))).toEqual([
      'IPTC:Caption-Abstract',
      'XMP-dc:Description',
      'EXIF:ImageDescription',
    ]);
  });

  it('title prefers a row of that title to the name', () => {
    const metadata = [{ title: 'title', content: 'A better one' }];
    expect(written([{ metaTitle: 'title' }], { metadata })['XMP-dc:Title']).toEqual(['A better one']);
    expect(written([{ metaTitle: 'container_name' }], { metadata })['XMP-dc:Title']).toEqual(['Harbour at dawn']);
  });

  it('is written into the field that type and key name', () => {
    expect(written([{ metaTitle: 'author', type: 'iptc', key: 'Credit' }])).toEqual({ 'IPTC:Credit': ['Ada Vandermeer'] });
    expect(written([{ metaTitle: 'mood', type: 'exif', key: 'UserComment' }])).toEqual({ 'EXIF:UserComment': ['calm'] });
    expect(written([{ metaTitle: 'mood', key: 'by_line_title' }])).toEqual({ 'IPTC:By-lineTitle': ['calm'] });
    expect(written([{ metaTitle: 'author', type: 'exif' }])).toEqual({ 'EXIF:Artist': ['Ada Vandermeer'] });
    expect(Object.keys(written([{ metaTitle: 'author', type: 'iptc' }]))).toEqual(['IPTC:By-line', 'XMP-dc:Creator']);
  });

  it('is skipped, with a reason, when it has no field or the item has no such metadata', () => {
    expect(
      reasons([
        { metaTitle: 'mood' },
        { metaTitle: 'mood', key: 'Thumbnail' },
        { metaTitle: 'meta_iptc_Nonsense' },
        { metaTitle: 'city', type: 'exif' },
        { metaTitle: 'copyright' },
        { metaTitle: 'headline', language: 'fr' },
        { metaTitle: 'credit' },
        { metaTitle: 'mood', key: 'Credit' },
        { metaTitle: 'mood', key: 'Source' },
        { metaTitle: '__proto__' },
        { metaTitle: '-tagsFromFile' },
      ]),
    ).toEqual([
      'no field of IPTC or EXIF is known for it',
      'IPTC and EXIF have no field Thumbnail',
      'IPTC has no such field',
      'it has no field in EXIF',
      'the item has none',
      'the item has none in fr',
      'IPTC:Credit is written already',
      'IPTC:Source is written already',
      'no field of IPTC or EXIF is known for it',
      'no field of IPTC or EXIF is known for it',
    ]);
  });
});

describe('languages', () => {
  const headline = (definition: Partial<MetadataDefinition>, metadata = item.metadata) =>
    written([{ metaTitle: 'headline', ...definition }], { metadata })['IPTC:Headline']?.[0];
  const uni = [...item.metadata, { title: 'headline', content: 'Haven', language: 'uni' }];

  it('are preferred in the order in which they are named', () => {
    expect(headline({ language: 'en' })).toBe('Morning in the harbour');
    expect(headline({ languages: ['fr', 'de'] })).toBe('Morgens im Hafen');
    expect(headline({ languages: ['EN', 'de'] })).toBe('Morning in the harbour');
  });

  it('fall back to uni, which is also the default', () => {
    expect(headline({ language: 'fr' }, uni)).toBe('Haven');
    expect(headline({}, uni)).toBe('Haven');
    expect(headline({ languages: [] }, uni)).toBe('Haven');
    expect(headline({})).toBe('Morgens im Hafen');
    expect(headline({ language: 'fr' })).toBeUndefined();
  });
});

describe('a field of few bytes', () => {
  it('is not written when not even one character fits', () => {
    const changes = { metadata: [{ title: 'Urgency', content: 'é' }] };
    expect(written([{ metaTitle: 'Urgency' }], changes)).toEqual({});
    expect(reasons([{ metaTitle: 'Urgency' }], changes)).toEqual(['the value does not fit into IPTC:Urgency']);
  });
});

describe('special titles', () => {
  const keywords = (definition: Partial<MetadataDefinition>) => written([{ metaTitle: 'tags', ...definition }])['IPTC:Keywords'];

  it("tags are keywords: the container's and those of rows, of all languages or of those named", () => {
    expect(keywords({})).toEqual(['harbour', 'boats', 'Hafen', 'Boote', 'harbor']);
    expect(keywords({ languages: ['de'] })).toEqual(['Hafen', 'Boote']);
    expect(keywords({ languages: ['en', 'uni'] })).toEqual(['harbour', 'boats', 'harbor']);
    expect(keywords({ languages: ['fr'] })).toBeUndefined();
    expect(keywords({ language: 'de' })).toHaveLength(5);
    expect(written([{ metaTitle: 'tags' }])['XMP-dc:Subject']).toHaveLength(5);
  });

  it('tags and keywords are written together', () => {
    const metadata = [{ title: 'keywords', content: 'sea,boats' }];
    expect(written([{ metaTitle: 'tags' }, { metaTitle: 'keywords' }], { metadata })['IPTC:Keywords']).toEqual(['harbour', 'boats', 'sea']);
  });

  it("license is the license's usage terms, else its name, else a row titled license", () => {
    const terms = (license: DescribedItem['license'], metadata: DescribedItem['metadata'] = []) =>
      written([{ metaTitle: 'license' }], { license, metadata })['XMP-xmpRights:UsageTerms']?.[0];
    expect(terms(item.license, [{ title: 'license', content: 'row' }])).toBe('Editorial use only');
    expect(terms({ name: 'CC BY 4.0' })).toBe('CC BY 4.0');
    expect(terms({}, [{ title: 'license', content: 'row' }])).toBe('row');
    expect(terms(null, [{ title: 'License', content: 'row' }])).toBe('row');
    expect(terms(null)).toBeUndefined();
  });

  it('instructions are the value of the definition, otherwise the period and uses of the license', () => {
    const instructions = (definition: Partial<MetadataDefinition>, license: DescribedItem['license'] = item.license) =>
      written([{ metaTitle: 'instructions', ...definition }], { license })['IPTC:SpecialInstructions']?.[0];
    expect(instructions({ value: 'Ask before use' })).toBe('Ask before use');
    expect(instructions({})).toBe('Valid from 2026-01-01. Valid until 2026-12-31. Permitted for web, print.');
    expect(instructions({}, { end: '2027-05-01T12:00:00Z', types: [] })).toBe('Valid until 2027-05-01.');
    expect(instructions({}, { start: 0, end: 'whenever', types: 'web' })).toBeUndefined();
    expect(instructions({}, null)).toBeUndefined();
  });
});

describe('whatever is written', () => {
  it('fits into the fields of IPTC, and is whole in XMP', () => {
    const content = fc
      .string({ unit: 'grapheme', minLength: 1, maxLength: 400 })
      .filter((text) => text.trim() !== '' && !/\p{Cc}/u.test(text));
    const titles = ['author', 'city', 'country', 'country_code', 'headline', 'title', 'keywords', 'description', 'copyright'];
    fc.assert(
      fc.property(content, (text) => {
        const { tags } = build(
          titles.map((metaTitle) => ({ metaTitle })),
          { metadata: titles.map((title) => ({ title, content: text })) },
        );
        for (const { tag, values } of tags) {
          for (const value of values) {
            if (tag.startsWith('IPTC:')) expect(Buffer.byteLength(value)).toBeLessThanOrEqual(findIptcLimit(tag.slice(5)) ?? 0);
            expect(value).not.toMatch(/\p{Cs}/u);
          }
        }
        expect(tags.find(({ tag }) => tag === 'XMP-photoshop:Headline')?.values).toEqual([text.trim()]);
      }),
    );
  });

  it('holds no control characters but line feeds', () => {
    expect(
      written([{ metaTitle: 'author' }], { metadata: [{ title: 'author', content: ' a\u0000b\u0007\r\nc\u001b ' }] })['XMP-dc:Creator'],
    ).toEqual(['ab\nc']);
  });
});
