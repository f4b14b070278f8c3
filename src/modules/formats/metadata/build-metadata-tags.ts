import { cleanText, cutToBytes } from '../clean-text.js';
import type { FormatSettings, MetadataDefinition } from '../format-settings.dto.js';
import { findIptcLimit, findTags } from './find-tags.js';
import { type DescribedItem, explainMissingValues, findValues } from './find-values.js';

/** A metadata field of a file and its values, of which lists such as keywords have several. */
export interface MetadataTag {
  /** exiftool's name with its group: `IPTC:Keywords`, `XMP-dc:Title`. */
  readonly tag: string;
  readonly values: readonly string[];
  /** The definition that it comes from; null: it is written into every image. */
  readonly metaTitle: string | null;
}

/** A definition that writes nothing. */
interface SkippedMetadata {
  readonly metaTitle: string;
  readonly reason: string;
}

interface MetadataRequest {
  readonly settings: FormatSettings;
  readonly item: DescribedItem;
  readonly customer: { readonly name: string };
  readonly serviceName: string;
}

export interface BuiltMetadata {
  /** All metadata of the file; earlier metadata is removed. */
  readonly tags: readonly MetadataTag[];
  readonly skipped: readonly SkippedMetadata[];
}

/** Tags that are lists, to which several definitions may add values. */
const LISTS = new Set(['IPTC:Keywords', 'XMP-dc:Subject', 'IPTC:SupplementalCategories']);
const IMAGE_TYPES = new Set(['jpg', 'jpeg', 'png', 'webp', 'tif', 'tiff', 'gif', 'avif']);

/**
 * Builds the metadata of a rendition (specification, Metadata rules 4 to 7): the customer as its source, the service as its tool, and the values
 * of the definitions in `settings.metadata`. Only images have metadata.
 */
export function buildMetadataTags({ settings, item, customer, serviceName }: MetadataRequest): BuiltMetadata {
  const definitions = settings.metadata ?? [];
  if (!isImage(settings, item)) {
    return { tags: [], skipped: definitions.map(({ metaTitle }) => ({ metaTitle, reason: 'only images carry metadata' })) };
  }
  const tags = new Map<string, MetadataTag>();
  for (const tag of sourceTags(customer.name, serviceName)) tags.set(tag.tag, tag);
  const skipped: SkippedMetadata[] = [];
  for (const definition of definitions) {
    const reason = addTo(tags, definition, item);
    if (reason !== null) skipped.push({ metaTitle: definition.metaTitle, reason });
  }
  return { tags: [...tags.values()], skipped };
}

/** Whether the rendition is an image, by its file type, otherwise by the type of the original. */
const isImage = ({ filetype }: FormatSettings, { type }: DescribedItem): boolean =>
  filetype === undefined ? type === 'image' : IMAGE_TYPES.has(filetype.toLowerCase().replace(/^\./, ''));

/** The tags of rule 4. IPTC holds 32 bytes of the customer's name, XMP all of it. */
const sourceTags = (customerName: string, serviceName: string): MetadataTag[] =>
  [
    { tag: 'IPTC:Source', values: cutToFit('IPTC:Source', [cleanText(customerName)]), metaTitle: null },
    { tag: 'XMP-photoshop:Source', values: [cleanText(customerName)], metaTitle: null },
    { tag: 'XMP-xmp:CreatorTool', values: [cleanText(serviceName)], metaTitle: null },
  ].filter(({ values }) => values.some((value) => value !== ''));

/** Adds the tags of a definition; returns why none was added, or null. */
function addTo(tags: Map<string, MetadataTag>, definition: MetadataDefinition, item: DescribedItem): string | null {
  const found = findTags(definition);
  if ('reason' in found) return found.reason;
  const values = findValues(definition, item);
  if (values.length === 0) return explainMissingValues(definition);
  const free = found.tags.filter((tag) => LISTS.has(tag) || !tags.has(tag));
  if (free.length === 0) return `${found.tags.join(' and ')} ${found.tags.length === 1 ? 'is' : 'are'} written already`;
  const fitting = free.filter((tag) => cutToFit(tag, values).length > 0);
  if (fitting.length === 0) return `the value does not fit into ${free.join(' and ')}`;
  for (const tag of fitting) {
    const before = tags.get(tag);
    const all = LISTS.has(tag) ? [...(before?.values ?? []), ...values] : [values.join(', ')];
    tags.set(tag, { tag, values: [...new Set(cutToFit(tag, all))], metaTitle: before?.metaTitle ?? definition.metaTitle });
  }
  return null;
}

function cutToFit(tag: string, values: readonly string[]): readonly string[] {
  const limit = tag.startsWith('IPTC:') ? findIptcLimit(tag.slice('IPTC:'.length)) : null;
  return limit === null ? values : values.map((value) => cutToBytes(value, limit).trimEnd()).filter((value) => value !== '');
}
