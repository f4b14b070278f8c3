import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { crc32, deflateRawSync, deflateSync } from 'node:zlib';

/** A file of a folder, with this content. */
export function put(folder: string, name: string, content: string | Buffer): string {
  const file = path.join(folder, name);
  writeFileSync(file, content);
  return file;
}

/** A black picture whose file is a thousandth of its memory. */
export function pngBomb(side: number): Buffer {
  const chunk = (type: string, data: Buffer) => {
    const head = Buffer.from([0, 0, 0, 0, ...Buffer.from(type)]);
    head.writeUInt32BE(data.length);
    const sum = Buffer.alloc(4);
    sum.writeUInt32BE(crc32(Buffer.concat([head.subarray(4), data])));
    return Buffer.concat([head, data, sum]);
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(side, 0);
  header.writeUInt32BE(side, 4);
  header[8] = 1; // a bit for each pixel, grey
  const rows = deflateSync(Buffer.alloc((Math.ceil(side / 8) + 1) * side), { level: 9 });
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunk('IHDR', header),
    chunk('IDAT', rows),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

interface ZipEntry {
  readonly name: string;
  readonly content: Buffer;
}

/** A ZIP archive. */
export function zip(entries: readonly ZipEntry[]): Buffer {
  let offset = 0;
  const [bodies, directory] = [[] as Buffer[], [] as Buffer[]];
  for (const { name, content } of entries) {
    const packed = deflateRawSync(content, { level: 9 });
    const fields = Buffer.alloc(26);
    fields.writeUInt16LE(20, 0);
    fields.writeUInt16LE(8, 4);
    fields.writeUInt32LE(crc32(content), 10);
    fields.writeUInt32LE(packed.length, 14);
    fields.writeUInt32LE(content.length, 18);
    fields.writeUInt16LE(name.length, 22);
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), fields, Buffer.from(name), packed]);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(offset, 10);
    directory.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\x00'), fields, place, Buffer.from(name)]));
    bodies.push(local);
    offset += local.length;
  }
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06');
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(Buffer.concat(directory).length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...bodies, ...directory, end]);
}

const RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const DRAWING = 'http://schemas.openxmlformats.org/drawingml/2006';

/** A Word document of one line, with pictures that it only names. */
export function docx({
  line = 'Harbour at dawn',
  pictures = [],
  more = '',
}: {
  line?: string;
  pictures?: readonly string[];
  more?: string;
}): Buffer {
  const frames = pictures.map(
    (_, n) => `<w:p><w:r><w:drawing><wp:inline><wp:extent cx="1800000" cy="900000"/><wp:docPr id="${n + 1}" name="p"/><a:graphic>
      <a:graphicData uri="${DRAWING}/picture"><pic:pic><pic:nvPicPr><pic:cNvPr id="${n + 1}" name="x"/><pic:cNvPicPr/></pic:nvPicPr>
      <pic:blipFill><a:blip r:link="p${n}"/><a:stretch><a:fillRect/></a:stretch></pic:blipFill><pic:spPr><a:xfrm><a:off x="0" y="0"/>
      <a:ext cx="1800000" cy="900000"/></a:xfrm><a:prstGeom prst="rect"><a:avLst/></a:prstGeom></pic:spPr></pic:pic></a:graphicData>
      </a:graphic></wp:inline></w:drawing></w:r></w:p>`,
  );
  const links = pictures.map(
    (target, n) => `<Relationship Id="p${n}" Type="${RELATIONS}/image" Target="${target}" TargetMode="External"/>`,
  );
  const xml = (text: string) => Buffer.from(`<?xml version="1.0" encoding="UTF-8"?>${text}`);
  const relations = (text: string) => xml(`<Relationships xmlns="${PACKAGE}/relationships">${text}</Relationships>`);
  const type = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml';
  return zip([
    {
      name: '[Content_Types].xml',
      content: xml(`<Types xmlns="${PACKAGE}/content-types"><Default Extension="xml" ContentType="application/xml"/>
        <Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>
        <Override PartName="/word/document.xml" ContentType="${type}"/></Types>`),
    },
    { name: '_rels/.rels', content: relations(`<Relationship Id="r" Type="${RELATIONS}/officeDocument" Target="word/document.xml"/>`) },
    {
      name: 'word/document.xml',
      content: xml(`<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:r="${RELATIONS}"
        xmlns:wp="${DRAWING}/wordprocessingDrawing" xmlns:a="${DRAWING}/main" xmlns:pic="${DRAWING}/picture"><w:body>
        <w:p><w:r><w:t>${line}</w:t></w:r></w:p>${frames.join('')}${more}</w:body></w:document>`),
    },
    { name: 'word/_rels/document.xml.rels', content: relations(links.join('')) },
  ]);
}

/** A text document of OpenOffice with sections and pictures that it only names. */
export function odt(names: readonly string[]): Buffer {
  const parts = names.map(
    (name, n) => `<text:section text:name="s${n}"><text:section-source xlink:href="${name}"/><text:p>old</text:p></text:section>
      <text:p><draw:frame draw:name="f${n}">${picture(name)}</draw:frame></text:p>`,
  );
  return openDocument('text', `<office:text><text:p>Harbour at dawn</text:p>${parts.join('')}</office:text>`);
}

/** A slide of OpenOffice with pictures that it only names; LibreOffice loads these without asking. */
export function odp(names: readonly string[]): Buffer {
  const frame = (content: string) => `<draw:frame svg:x="0cm" svg:y="0cm" svg:width="9cm" svg:height="6cm">${content}</draw:frame>`;
  const title = frame('<draw:text-box><text:p>Harbour at dawn</text:p></draw:text-box>');
  const slide = `<draw:page draw:name="p">${title}${names.map((name) => frame(picture(name))).join('')}</draw:page>`;
  return openDocument('presentation', `<office:presentation>${slide}</office:presentation>`);
}

/** A drawing of OpenOffice with pictures that it only names. */
export function odg(names: readonly string[]): Buffer {
  const frames = names.map((name) => `<draw:frame svg:x="0cm" svg:y="0cm" svg:width="9cm" svg:height="6cm">${picture(name)}</draw:frame>`);
  return openDocument('graphics', `<office:drawing><draw:page draw:name="p">${frames.join('')}</draw:page></office:drawing>`);
}

/** A text document of OpenOffice that holds a drawing (SVG), which names pictures. */
export function odtWithDrawing(names: readonly string[]): Buffer {
  const images = names.map((name) => `<image x="0" y="0" width="200" height="100" xlink:href="${name}"/>`).join('');
  const content = `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="200" height="100">${images}</svg>`;
  const frame = `<draw:frame svg:width="9cm" svg:height="6cm" text:anchor-type="as-char">${picture('Pictures/drawing.svg')}</draw:frame>`;
  const drawing = { name: 'Pictures/drawing.svg', content: Buffer.from(content) };
  return openDocument('text', `<office:text><text:p>Harbour at dawn${frame}</text:p></office:text>`, drawing);
}

const picture = (name: string) => `<draw:image xlink:href="${name}" xlink:type="simple" xlink:show="embed" xlink:actuate="onLoad"/>`;

function openDocument(kind: 'text' | 'presentation' | 'graphics', body: string, picture?: ZipEntry): Buffer {
  const ns = (prefix: string, path_: string) => `xmlns:${prefix}="urn:oasis:names:tc:opendocument:xmlns:${path_}:1.0"`;
  const known = [ns('office', 'office'), ns('text', 'text'), ns('draw', 'drawing'), ns('svg', 'svg-compatible')];
  const spaces = [...known, 'xmlns:xlink="http://www.w3.org/1999/xlink"'].join(' ');
  const content = `<?xml version="1.0" encoding="UTF-8"?><office:document-content ${spaces} office:version="1.2"><office:body>
    ${body}</office:body></office:document-content>`;
  const mime = `application/vnd.oasis.opendocument.${kind}`;
  const manifest = `<?xml version="1.0"?><manifest:manifest ${ns('manifest', 'manifest')} manifest:version="1.2">
    <manifest:file-entry manifest:full-path="/" manifest:media-type="${mime}"/>
    <manifest:file-entry manifest:full-path="content.xml" manifest:media-type="text/xml"/>${picture ? `<manifest:file-entry manifest:full-path="${picture.name}" manifest:media-type="image/svg+xml"/>` : ''}
    </manifest:manifest>`;
  return zip([
    { name: 'mimetype', content: Buffer.from(mime) },
    { name: 'content.xml', content: Buffer.from(content) },
    { name: 'META-INF/manifest.xml', content: Buffer.from(manifest) },
    ...(picture ? [picture] : []),
  ]);
}

/** A Word document with so many tables, which LibreOffice lays out for minutes. */
export const docxOfTables = (count: number): Buffer =>
  docx({ more: '<w:tbl><w:tr><w:tc><w:p><w:r><w:t>x</w:t></w:r></w:p></w:tc></w:tr></w:tbl><w:p/>'.repeat(count) });

/** A PDF of one page that draws forms in forms, so many levels deep, each of them ten times. */
export function nestedPdf(depth: number): Buffer {
  const draws = (name: string) => `q 1 0 0 1 1 1 cm /${name} Do Q `.repeat(10);
  const stream = (fields: string, content: string) => `<< ${fields} /Length ${content.length} >> stream\n${content}\nendstream`;
  const form = (level: number) =>
    level === depth
      ? stream('/Type /XObject /Subtype /Form /BBox [0 0 600 600]', '0 0 300 300 re f')
      : stream(`/Type /XObject /Subtype /Form /BBox [0 0 600 600] /Resources << /XObject << /F ${level + 5} 0 R >> >>`, draws('F'));
  const page = '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 600] /Contents 4 0 R /Resources << /XObject << /F 5 0 R >> >> >>';
  const forms = Array.from({ length: depth }, (_, index) => form(index + 1));
  return pdf([page, stream('', draws('F')), ...forms]);
}

/** A PDF of the objects from number 3 on, of which `pages` are pages. */
export function pdf(objects: readonly string[], pages = ['3 0 R']): Buffer {
  const all = ['<< /Type /Catalog /Pages 2 0 R >>', `<< /Type /Pages /Kids [${pages.join(' ')}] /Count ${pages.length} >>`, ...objects];
  let text = '%PDF-1.4\n';
  const offsets = all.map((object, index) => {
    const offset = text.length;
    text += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(offset).padStart(10, '0')} 00000 n \n`;
  });
  const table = `xref\n0 ${all.length + 1}\n0000000000 65535 f \n${offsets.join('')}`;
  return Buffer.from(`${text}${table}trailer << /Size ${all.length + 1} /Root 1 0 R >>\nstartxref\n${text.length}\n%%EOF\n`);
}

/** A Word document of a few kilobytes that is gigabytes of text when it is opened. */
export function docxBomb(): Buffer {
  return docx({ more: `<w:p><w:r><w:t>${'x'.repeat(400_000_000)}</w:t></w:r></w:p>` });
}
