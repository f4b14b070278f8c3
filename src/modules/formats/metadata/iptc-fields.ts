/** IPTC's fields by exiftool's names, each with the bytes that IIM 4.2 (chapter 6, Record 2) gives it. */
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

/** Fields whose value has a form of its own (IIM 4.2 writes `20261231`, exiftool takes `2026:12:31`): nothing to be cut. */
const FORMED = new Set([
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
export const IPTC_FIELDS: readonly string[] = Object.keys(BYTES);

const LIMITS: ReadonlyMap<string, number> = new Map(Object.entries(BYTES));

/** How many bytes a field holds; null: it is not cut. */
export const findIptcLimit = (field: string): number | null => (FORMED.has(field) ? null : (LIMITS.get(field) ?? null));
