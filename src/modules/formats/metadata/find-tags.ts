import type { MetadataDefinition } from '../format-settings.js';
import { EXIF_FIELDS } from './exif-fields.js';
import { IPTC_FIELDS } from './iptc-fields.js';
import { findKnownTags } from './known-titles.js';

/** The tags that a definition writes, or why there are none. */
export type FoundTags = { readonly tags: readonly string[] } | { readonly reason: string };

type Type = NonNullable<MetadataDefinition['type']>;

/**
 * Where a definition is written to (specification, Metadata rule 5): into the field that `key` names; else where its metaTitle belongs, as
 * far as `type` allows; else into the field of IPTC or EXIF that is called like the metaTitle.
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

/** `By-line`, `by_line`, `IPTC:Byline` are one field. */
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
