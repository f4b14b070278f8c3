import { enumerations } from '@media-delivery/sdk';

export const MEDIA_TYPES = enumerations['GET /v5/format'].mediaType;
export type MediaType = (typeof MEDIA_TYPES)[number];

/** What people call them, for the messages of pages. */
export const MEDIA_TYPE_NAMES = {
  en: { video: 'Videos', audio: 'Sound', image: 'Pictures', document: 'Documents' },
  de: { video: 'Videos', audio: 'Ton', image: 'Bilder', document: 'Dokumente' },
} satisfies Record<'en' | 'de', Record<MediaType, string>>;

/** What the address of a list that is filtered by them says. Absent: all types. */
export interface MediaTypeSearch {
  readonly type?: MediaType;
}

/** Reads the query of such an address; what it does not know is left out. */
export function readMediaTypeSearch({ type }: Record<string, unknown>): MediaTypeSearch {
  const known = MEDIA_TYPES.find((value) => value === type);
  return known ? { type: known } : {};
}
