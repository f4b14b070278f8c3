// Finds the copyright notice of an image in what sharp calls its metadata, and writes it as XMP. A part of run-sharp.cjs.

/** Characters; longer ones would make every small picture larger. */
const MAX_COPYRIGHT = 1_000;

/**
 * The copyright notice of an image: in Exif (tag 0x8298), XMP (dc:rights), IPTC (data set 2:116), or a text of a PNG; null: it has none. Metadata that is
 * damaged counts as absent.
 */
function copyrightOf({ exif, xmpAsString, iptc, tifftagPhotoshop, comments = [] }) {
  const [, rights] = /<dc:rights>\s*(?:<rdf:Alt>\s*<rdf:li[^>]*>)?([^<]*)</.exec(xmpAsString ?? '') ?? [];
  const iptcs = [iptc, tifftagPhotoshop, ...comments.map(profileOf)];
  const noted = comments.find(({ keyword }) => keyword === 'Copyright')?.text;
  const texts = [
    exif && exifText(exif, COPYRIGHT_TAG),
    rights && unescapeXml(rights),
    ...iptcs.map((bytes) => bytes && iptcNotice(bytes)),
    noted,
  ];
  return texts.map((text) => text && plain(text)).find(Boolean) || null;
}

/** A text of limited length without control characters, which XML cannot contain. */
const plain = (text) =>
  text
    .replace(/\p{Cc}+/gu, ' ')
    .trim()
    .slice(0, MAX_COPYRIGHT)
    .toWellFormed();

const COPYRIGHT_TAG = 0x8298;
const ENTITIES = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&apos;': "'", '&amp;': '&' };
const unescapeXml = (text) => text.replace(/&(?:lt|gt|quot|apos|amp);/g, (entity) => ENTITIES[entity]);

/** A text of the first directory of Exif (a TIFF header behind `Exif\0\0`); null: it has none, or is damaged. */
function exifText(exif, tag) {
  const tiff = exif.toString('latin1', 0, 4) === 'Exif' ? exif.subarray(6) : exif;
  const isBig = tiff.toString('latin1', 0, 2) === 'MM';
  const read = (at, bytes) => (isBig ? tiff.readUIntBE(at, bytes) : tiff.readUIntLE(at, bytes));
  try {
    const directory = read(4, 4);
    for (let entry = directory + 2; entry < directory + 2 + 12 * read(directory, 2); entry += 12) {
      if (read(entry, 2) !== tag) continue;
      const length = read(entry + 4, 4);
      const start = length > 4 ? read(entry + 8, 4) : entry + 8;
      // The notices of the photographer and of the editor are separated by a zero.
      return (
        tiff
          .toString('utf8', start, start + length)
          .split('\0')
          .filter((part) => part.trim())
          .join('; ') || null
      );
    }
  } catch {
    // The directory points behind the end of the metadata.
  }
  return null;
}

/** Record and number of data sets (IPTC-IIM 4.2): the encoding of texts, and the copyright notice. */
const CHARACTER_SET = 0x015a;
const COPYRIGHT_NOTICE = 0x0274;
/** The escape sequence that announces UTF-8 (ISO 2022). */
const UTF8 = '\x1b%G';
/** Bytes of a data set that are read: the standard permits 128, and a character has at most 4. */
const MAX_NOTICE_BYTES = 4 * MAX_COPYRIGHT;

/** The copyright notice of IPTC, by itself or as a resource of Photoshop. Texts are in Latin-1, as programs write it for Windows, unless UTF-8 is announced. */
function iptcNotice(bytes) {
  const { [CHARACTER_SET]: characters, [COPYRIGHT_NOTICE]: notice } = dataSetsOf(iptcOf(bytes));
  if (!notice) return null;
  const encoding = characters?.toString('latin1') === UTF8 ? 'utf-8' : 'windows-1252';
  return new TextDecoder(encoding).decode(notice.subarray(0, MAX_NOTICE_BYTES));
}

/** The data sets of IPTC by record and number, the first of each; those behind a damaged one are left out. */
function dataSetsOf(iptc) {
  const sets = {};
  for (let at = 0; at + 5 <= iptc.length && iptc[at] === 0x1c; ) {
    const length = iptc.readUInt16BE(at + 3);
    const end = at + 5 + length;
    // The highest bit announces a longer length, which no text has.
    if (length >= 0x8000 || end > iptc.length) break;
    sets[iptc.readUInt16BE(at + 1)] ??= iptc.subarray(at + 5, end);
    at = end;
  }
  return sets;
}

const RESOURCE = '8BIM';
const IPTC_RESOURCE = 0x0404;

/** The IPTC among resources of Photoshop (Image Resource Blocks); bytes that do not begin with these are returned as they are. */
function iptcOf(bytes) {
  const header = bytes.toString('latin1', 0, 13) === 'Photoshop 3.0' ? 14 : 0;
  if (header === 0 && bytes.toString('latin1', 0, 4) !== RESOURCE) return bytes;
  for (let at = header; at + 12 <= bytes.length && bytes.toString('latin1', at, at + 4) === RESOURCE; ) {
    const name = bytes[at + 6] + 1; // with its length
    const size = at + 6 + name + (name % 2);
    if (size + 4 > bytes.length) break;
    const length = bytes.readUInt32BE(size);
    if (bytes.readUInt16BE(at + 4) === IPTC_RESOURCE) return bytes.subarray(size + 4, size + 4 + length);
    at = size + 4 + length + (length % 2);
  }
  return Buffer.alloc(0);
}

/** Bytes of a PNG's profile that are read; IPTC has a few hundred. */
const MAX_PROFILE_BYTES = 262_144;

/** IPTC in a text of a PNG, as ImageMagick and ExifTool write it: a name, a length, and hexadecimal bytes. Null: it is another text. */
function profileOf({ keyword, text }) {
  if (keyword !== 'Raw profile type iptc' && keyword !== 'Raw profile type 8bim') return null;
  const [, , , ...lines] = text.slice(0, 2 * MAX_PROFILE_BYTES).split('\n');
  return Buffer.from(lines.join(''), 'hex');
}

/** A copyright notice as XMP (dc:rights). */
function copyrightAsXmp(text) {
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  const rights = `<dc:rights><rdf:Alt><rdf:li xml:lang="x-default">${escaped}</rdf:li></rdf:Alt></dc:rights>`;
  const description = `<rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/">${rights}</rdf:Description>`;
  const namespace = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#';
  return `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="${namespace}">${description}</rdf:RDF></x:xmpmeta>`;
}

module.exports = { copyrightOf, copyrightAsXmp };
