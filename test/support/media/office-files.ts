import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { run } from '../converter/run-invocation.js';
import { zip } from './hostile-files.js';

const NAMESPACES = ['office', 'drawing', 'text', 'presentation', 'svg-compatible']
  .map((name) => `xmlns:${{ drawing: 'draw', 'svg-compatible': 'svg' }[name] ?? name}="urn:oasis:names:tc:opendocument:xmlns:${name}:1.0"`)
  .join(' ');

/** A presentation of one slide with a text on it, as one file of XML. */
const slideWith = (text: string): string =>
  `<?xml version="1.0" encoding="UTF-8"?>
<office:document ${NAMESPACES} office:version="1.3" office:mimetype="application/vnd.oasis.opendocument.presentation">
<office:body><office:presentation><draw:page draw:name="one">
<draw:frame svg:width="10cm" svg:height="2cm" svg:x="2cm" svg:y="2cm"><draw:text-box><text:p>${text}</text:p></draw:text-box></draw:frame>
</draw:page></office:presentation></office:body></office:document>`;

/** Of what a document of a type is made, by LibreOffice itself. */
const ORIGINS: Readonly<Record<string, { readonly extension: string; readonly content: (text: string) => string }>> = {
  docx: { extension: 'txt', content: (text) => text },
  doc: { extension: 'txt', content: (text) => text },
  xlsx: { extension: 'csv', content: (text) => `${text};42` },
  xls: { extension: 'csv', content: (text) => `${text};42` },
  pptx: { extension: 'fodp', content: slideWith },
  ppt: { extension: 'fodp', content: slideWith },
};

/** Writes a document of a type (docx, doc, xlsx, xls, pptx, ppt) with a text in it into a folder; answers the file. */
export async function writeOfficeFile(folder: string, type: string, text: string): Promise<string> {
  const origin = ORIGINS[type];
  if (!origin) throw new Error(`No way to make ${type}.`);
  const name = `document-${type}`;
  writeFileSync(path.join(folder, `${name}.${origin.extension}`), origin.content(text));
  const profile = `-env:UserInstallation=${pathToFileURL(path.join(folder, 'profile-of-tests')).href}`;
  await run(folder, 'soffice', [profile, '--headless', '--convert-to', type, `${name}.${origin.extension}`]);
  return path.join(folder, `${name}.${type}`);
}

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>';
const OOXML = 'http://schemas.openxmlformats.org';
const TYPES = 'application/vnd.openxmlformats';

/** A DOCX of one paragraph that names its author and its last editor. */
export const signedDocx = (author: string, text: string): Buffer => docxOf(author, `<w:p><w:r><w:t>${text}</w:t></w:r></w:p>`);

const textRun = (text: string) => `<w:r><w:t xml:space="preserve">${text}</w:t></w:r>`;
const deleted = (text: string) => `<w:del w:id="1" w:author="A"><w:r><w:delText>${text}</w:delText></w:r></w:del>`;
const DELETED_MARK = '<w:del w:id="2" w:author="A"/>';

/**
 * A DOCX with tracked changes: `kept` is inserted or stays, as one paragraph of two whose border was deleted; `gone` was deleted as a text, as what was
 * moved, and as a row.
 */
export const trackedDocx = (kept: readonly [string, string], gone: string): Buffer =>
  docxOf(
    'A',
    `<w:p><w:pPr><w:rPr>${DELETED_MARK}</w:rPr></w:pPr>${deleted(gone)}<w:ins w:id="3" w:author="A">${textRun(kept[0])}</w:ins></w:p>
<w:p><w:pPr><w:jc w:val="left"/></w:pPr>${textRun(kept[1])}<w:moveFrom w:id="4" w:author="A">${textRun(gone)}</w:moveFrom></w:p>
<w:p><w:r><w:rPr><w:vanish/></w:rPr><w:t>${gone}</w:t></w:r></w:p>
<w:tbl><w:tr><w:tc><w:p>${textRun('row')}</w:p></w:tc></w:tr><w:tr><w:trPr>${DELETED_MARK}</w:trPr><w:tc><w:p>${textRun(gone)}</w:p></w:tc></w:tr></w:tbl>
<w:p>${textRun('end')}</w:p>`.replaceAll('\n', ''),
  );

/** A DOCX whose paragraphs are inserted or stay (`kept`) behind a deleted text and a deleted paragraph (`gone`), as all programs can store it. */
export const revisedDocx = (kept: readonly [string, string], gone: string): Buffer =>
  docxOf(
    'A',
    `<w:p><w:pPr><w:rPr>${DELETED_MARK}</w:rPr></w:pPr>${deleted(gone)}</w:p>
<w:p>${deleted(gone)}<w:ins w:id="3" w:author="A">${textRun(kept[0])}</w:ins>${textRun(kept[1])}</w:p>`.replaceAll('\n', ''),
  );

function docxOf(author: string, body: string): Buffer {
  const override = (name: string, type: string) => `<Override PartName="/${name}" ContentType="${TYPES}-${type}+xml"/>`;
  const relation = (id: string, type: string, target: string) => `<Relationship Id="${id}" Type="${OOXML}/${type}" Target="${target}"/>`;
  const parts = {
    '[Content_Types].xml': `<Types xmlns="${OOXML}/package/2006/content-types"><Default Extension="rels" ContentType="${TYPES}-package.relationships+xml"/>
${override('word/document.xml', 'officedocument.wordprocessingml.document.main')}${override('docProps/core.xml', 'package.core-properties')}</Types>`,
    '_rels/.rels': `<Relationships xmlns="${OOXML}/package/2006/relationships">
${relation('a', 'officeDocument/2006/relationships/officeDocument', 'word/document.xml')}
${relation('b', 'package/2006/relationships/metadata/core-properties', 'docProps/core.xml')}</Relationships>`,
    'word/document.xml': `<w:document xmlns:w="${OOXML}/wordprocessingml/2006/main"><w:body>${body}</w:body></w:document>`,
    'docProps/core.xml': `<cp:coreProperties xmlns:cp="${OOXML}/package/2006/metadata/core-properties" xmlns:dc="http://purl.org/dc/elements/1.1/">
<dc:creator>${author}</dc:creator><cp:lastModifiedBy>${author}</cp:lastModifiedBy></cp:coreProperties>`,
  };
  return zip(Object.entries(parts).map(([name, content]) => ({ name, content: Buffer.from(XML + content) })));
}

/** An ODT in which one text was deleted and another inserted. */
export const trackedOdt = (kept: string, gone: string): Buffer =>
  odtOf(
    'A',
    `<text:tracked-changes><text:changed-region text:id="c1"><text:deletion><text:p>${gone}</text:p></text:deletion></text:changed-region>
<text:changed-region text:id="c2"><text:insertion/></text:changed-region></text:tracked-changes>
<text:p><text:change text:change-id="c1"/><text:change-start text:change-id="c2"/>${kept}<text:change-end text:change-id="c2"/></text:p>`,
  );

/** An ODT of one paragraph that names its author and its last editor. */
export const signedOdt = (author: string, text: string): Buffer => odtOf(author, `<text:p>${text}</text:p>`);

function odtOf(author: string, body: string): Buffer {
  const ns = (prefix: string, name = prefix) => `xmlns:${prefix}="urn:oasis:names:tc:opendocument:xmlns:${name}:1.0"`;
  const mime = 'application/vnd.oasis.opendocument.text';
  const entry = (name: string, type: string) => `<manifest:file-entry manifest:full-path="${name}" manifest:media-type="${type}"/>`;
  const parts = {
    'content.xml': `<office:document-content ${ns('office')} ${ns('text')} office:version="1.2"><office:body><office:text>
${body}</office:text></office:body></office:document-content>`,
    'meta.xml': `<office:document-meta ${ns('office')} ${ns('meta')} xmlns:dc="http://purl.org/dc/elements/1.1/" office:version="1.2"><office:meta>
<meta:initial-creator>${author}</meta:initial-creator><dc:creator>${author}</dc:creator></office:meta></office:document-meta>`,
    'META-INF/manifest.xml': `<manifest:manifest ${ns('manifest')} manifest:version="1.2">
${entry('/', mime)}${entry('content.xml', 'text/xml')}${entry('meta.xml', 'text/xml')}</manifest:manifest>`,
  };
  const xml = Object.entries(parts).map(([name, content]) => ({ name, content: Buffer.from(XML + content) }));
  return zip([{ name: 'mimetype', content: Buffer.from(mime) }, ...xml]);
}
