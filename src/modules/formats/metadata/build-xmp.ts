import type { MetadataTag } from './build-metadata-tags.js';

const NAMESPACES: ReadonlyMap<string, string> = new Map([
  ['XMP-photoshop', 'http://ns.adobe.com/photoshop/1.0/'],
  ['XMP-xmp', 'http://ns.adobe.com/xap/1.0/'],
]);
const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Writes the tags of every image as an XMP packet (XMP specification, part 1), for machines without exiftool. */
export function buildXmp(tags: readonly MetadataTag[]): string {
  const properties = tags.flatMap(({ tag, values: [value = ''] }) => {
    const [group = '', name = ''] = tag.split(':');
    const namespace = NAMESPACES.get(group);
    const prefix = group.slice('XMP-'.length);
    return namespace === undefined ? [] : [` xmlns:${prefix}="${namespace}" ${prefix}:${name}="${escapeXml(value)}"`];
  });
  const description = `<rdf:Description rdf:about=""${properties.join('')}/>`;
  const rdf = `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">${description}</rdf:RDF>`;
  return `<?xpacket begin="\ufeff" id="W5M0MpCehiHzreSzNTczkc9d"?><x:xmpmeta xmlns:x="adobe:ns:meta/">${rdf}</x:xmpmeta><?xpacket end="w"?>`;
}

const escapeXml = (text: string): string => text.replaceAll(/[&<>"]/g, (character) => ENTITIES[character] ?? character);
