/** Where a metaTitle is written to, the same content for each program's taste: IPTC for editors, XMP whole, EXIF for viewers. */
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

/** Other words for the same. */
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

/** The tags of a metaTitle that is known by itself; null: it is not. */
export const findKnownTags = (metaTitle: string): readonly string[] | null => KNOWN.get(metaTitle.toLowerCase()) ?? null;
