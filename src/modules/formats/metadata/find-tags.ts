import type { MetadataDefinition } from '../format-settings.dto.js';

/** The fields of each metaTitle. Several get the same content: IPTC for editors, XMP for the full length, EXIF for viewers. */
const TAGS: Readonly<Record<string, readonly string[]>> = {
  container_name: ['IPTC:ObjectName', 'XMP-dc:Title'],
  container_description: ['IPTC:Caption-Abstract', 'XMP-dc:Description', 'EXIF:ImageDescription'],
  author: ['IPTC:By-line', 'XMP-dc:Creator', 'EXIF:Artist'],
  author_title: ['IPTC:By-lineTitle', 'XMP-photoshop:AuthorsPosition'],
  copyright: ['IPTC:CopyrightNotice', 'XMP-dc:Rights', 'EXIF:Copyright'],
  headline: ['IPTC:Headline', 'XMP-photoshop:Headline'],
  credit: ['IPTC:Credit', 'XMP-photoshop:Credit'],
  city: ['IPTC:City', 'XMP-photoshop:City'],
  location: ['IPTC:Sub-location', 'XMP-iptcCore:Location'],
  state: ['IPTC:Province-State', 'XMP-photoshop:State'],
  country: ['IPTC:Country-PrimaryLocationName', 'XMP-photoshop:Country'],
  country_code: ['IPTC:Country-PrimaryLocationCode', 'XMP-iptcCore:CountryCode'],
  category: ['IPTC:Category', 'XMP-photoshop:Category'],
  caption_writer: ['IPTC:Writer-Editor', 'XMP-photoshop:CaptionWriter'],
  job: ['IPTC:OriginalTransmissionReference', 'XMP-photoshop:TransmissionReference'],
  keywords: ['IPTC:Keywords', 'XMP-dc:Subject'],
  tags: ['IPTC:Keywords', 'XMP-dc:Subject'],
  license: ['XMP-xmpRights:UsageTerms'],
  instructions: ['IPTC:SpecialInstructions', 'XMP-photoshop:Instructions'],
};

/** Synonyms of metaTitles. */
const SYNONYMS: Readonly<Record<string, string>> = {
  title: 'container_name',
  description: 'container_description',
  caption: 'container_description',
  creator: 'author',
  artist: 'author',
  photographer: 'author',
  byline: 'author',
  copyright_notice: 'copyright',
  province: 'state',
  sublocation: 'location',
};

const KNOWN: ReadonlyMap<string, readonly string[]> = new Map([
  ...Object.entries(TAGS),
  ...Object.entries(SYNONYMS).map(([word, meant]) => [word, TAGS[meant] ?? []] as const),
]);

/** The tags of a metaTitle; null: unknown. */
const findKnownTags = (metaTitle: string): readonly string[] | null => KNOWN.get(metaTitle.toLowerCase()) ?? null;

/** IPTC fields by exiftool's names, each with its maximum length in bytes (IIM 4.2, chapter 6, Record 2). */
const BYTES = {
  ObjectName: 64,
  EditStatus: 64,
  Urgency: 1,
  SubjectReference: 236,
  Category: 3,
  SupplementalCategories: 32,
  FixtureIdentifier: 32,
  Keywords: 64,
  ContentLocationCode: 3,
  ContentLocationName: 64,
  ReleaseDate: 8,
  ReleaseTime: 11,
  ExpirationDate: 8,
  ExpirationTime: 11,
  SpecialInstructions: 256,
  ActionAdvised: 2,
  DateCreated: 8,
  TimeCreated: 11,
  DigitalCreationDate: 8,
  DigitalCreationTime: 11,
  OriginatingProgram: 32,
  ProgramVersion: 10,
  'By-line': 32,
  'By-lineTitle': 32,
  City: 32,
  'Sub-location': 32,
  'Province-State': 32,
  'Country-PrimaryLocationCode': 3,
  'Country-PrimaryLocationName': 64,
  OriginalTransmissionReference: 32,
  Headline: 256,
  Credit: 32,
  Source: 32,
  CopyrightNotice: 128,
  Contact: 128,
  'Caption-Abstract': 2_000,
  'Writer-Editor': 32,
  LanguageIdentifier: 3,
} as const;

/** Fields with a fixed format (`20261231` in IIM 4.2, `2026:12:31` for exiftool), which are not cut. */
const FIXED_FORM = new Set([
  'ReleaseDate',
  'ReleaseTime',
  'ExpirationDate',
  'ExpirationTime',
  'DateCreated',
  'TimeCreated',
  'DigitalCreationDate',
  'DigitalCreationTime',
]);

/** The names of the fields that are written. */
const IPTC_FIELDS: readonly string[] = Object.keys(BYTES);

const LIMITS: ReadonlyMap<string, number> = new Map(Object.entries(BYTES));

/** Returns the maximum length of a field in bytes; null: it is not cut. */
export const findIptcLimit = (field: string): number | null => (FIXED_FORM.has(field) ? null : (LIMITS.get(field) ?? null));

/**
 * EXIF fields for texts and dates that describe a picture, by exiftool's names, without fields about the structure of the file.
 */
const EXIF_FIELDS: readonly string[] = [
  'Artist',
  'Copyright',
  'CreateDate',
  'DateTimeOriginal',
  'DocumentName',
  'HostComputer',
  'ImageDescription',
  'ImageUniqueID',
  'LensMake',
  'LensModel',
  'Make',
  'Model',
  'ModifyDate',
  'OwnerName',
  'SerialNumber',
  'Software',
  'UserComment',
  'XPAuthor',
  'XPComment',
  'XPKeywords',
  'XPSubject',
  'XPTitle',
];

/** The tags that a definition writes, or why it writes none. */
type FoundTags = { readonly tags: readonly string[] } | { readonly reason: string };

type Type = NonNullable<MetadataDefinition['type']>;

/**
 * Finds the fields of a definition (specification, Metadata rule 5): the one that `key` names; otherwise those of its metaTitle, restricted by
 * `type`; otherwise the IPTC or EXIF field whose name is the metaTitle.
 */
export function findTags({ metaTitle, type, key }: MetadataDefinition): FoundTags {
  const types: readonly Type[] = type ? [type] : ['iptc', 'exif'];
  if (key !== undefined && key !== '') return found(findField(key, types), `${types.map(nameOf).join(' and ')} have no field ${key}`);
  const prefixed = /^meta_(iptc|exif)_(.+)$/i.exec(metaTitle);
  if (prefixed) {
    const own = (prefixed[1] ?? '').toLowerCase() as Type;
    return found(findField(prefixed[2] ?? '', type ? types : [own]), `${nameOf(type ?? own)} has no such field`);
  }
  const known = findKnownTags(metaTitle);
  if (known === null) return found(findField(metaTitle, types), 'no field of IPTC or EXIF is known for it');
  const suitable = known
    .filter((tag) => type !== 'exif' || tag.startsWith('EXIF:'))
    .filter((tag) => type !== 'iptc' || !tag.startsWith('EXIF:'));
  return suitable.length > 0 ? { tags: suitable } : { reason: `it has no field in ${nameOf(type ?? 'exif')}` };
}

const nameOf = (type: Type): string => type.toUpperCase();

const found = (tag: string | null, reason: string): FoundTags => (tag === null ? { reason } : { tags: [tag] });

const FIELDS: Readonly<Record<Type, ReadonlyMap<string, string>>> = {
  iptc: new Map(IPTC_FIELDS.map((field) => [simplify(field), `IPTC:${field}`])),
  exif: new Map(EXIF_FIELDS.map((field) => [simplify(field), `EXIF:${field}`])),
};

/** Normalises the name of a field: `By-line`, `by_line` and `IPTC:Byline` are the same field. */
function simplify(name: string): string {
  return name.toLowerCase().replaceAll(/^(iptc|exif):|[-_ ]/g, '');
}

function findField(name: string, types: readonly Type[]): string | null {
  for (const type of types) {
    const tag = FIELDS[type].get(simplify(name));
    if (tag !== undefined) return tag;
  }
  return null;
}
