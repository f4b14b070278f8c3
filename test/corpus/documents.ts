import { odp, pdf } from '../support/media/hostile-files.js';
import { revisedDocx, signedDocx, signedOdt, trackedDocx, trackedOdt } from '../support/media/office-files.js';
import { cutOff, type Recipe, type RefusedFile } from './make-file.js';

/** A document, and what its PDF and the image of its first page must be. */
export interface CorpusDocument extends Recipe {
  readonly pages: number;
  /** The size of the image of the first page in pixels (110 dpi); absent: A4 or Letter, upright. */
  readonly image?: readonly [width: number, height: number];
  /** The size of the document itself; absent: not looked at. */
  readonly points?: readonly [width: number, height: number];
  readonly words?: readonly string[];
  /** Texts that the PDF does not contain: neither as words nor in its metadata. */
  readonly absent?: readonly string[];
}

const TEXT = 'Die Größe der Möwe: 40 cm';
const AUTHOR = 'Ada Vandermeer';
const TABLE = 'Straße;Größe;Preis\nHafen;40;1,50\nMöwe;41;2,75\n';
const CELLS = ['Straße', 'Größe', 'Möwe', '2,75'];

/** Spreadsheets take these for numbers, dates and formulas. */
const TEXT_CELLS = [
  ['007', '+491701234567', '1/2', '=1+1'],
  ['01067', '1E5', '3E8', 'x'],
  ['0123456789012345678', 'TRUE', '1:30', '-5%'],
];
const QUOTED_CELLS = 'sep=;\r\n00€;"first; line\r\nsecond line"\r\n"he said ""no""";=A1';

const page = (entries: string): Buffer => pdf([`<< /Type /Page /Parent 2 0 R ${entries} >>`]);
const encoded = (name: string, extension: string, encoding: string, content: string): Recipe => ({
  ...{ name: `${name} in ${encoding}`, extension, content },
  runs: [['iconv', '-f', 'UTF-8', '-t', encoding, '-o', '{file}', '{0}']],
});

/** What LibreOffice makes of a file of another type. */
const converted = (from: string, to: string, ...options: readonly string[]): Recipe['runs'] => [
  ['cp', '{0}', `{0}.${from}`],
  [
    ...['soffice', '-env:UserInstallation=file://{0}-profile', '--headless', '--convert-to', to, '--outdir', '{0}-out'],
    ...[...options, `{0}.${from}`],
  ],
  ['sh', '-c', 'mv "$0"-out/*.* "$1"', '{0}', '{file}'],
];

export const DOCUMENTS: readonly CorpusDocument[] = [
  { name: 'a letter', extension: 'pdf', content: page('/MediaBox [0 0 612 792]'), pages: 1, image: [935, 1_210] },
  {
    name: 'a page that lies on its side',
    extension: 'pdf',
    content: page('/MediaBox [0 0 612 792] /Rotate 90'),
    pages: 1,
    image: [1_210, 935],
  },
  {
    ...{ name: 'a plan whose unit has two points', extension: 'pdf', pages: 1, image: [1_223, 612], points: [800, 400] },
    content: page('/MediaBox [0 0 400 200] /UserUnit 2'),
  },
  { name: 'a page of 200 inches', extension: 'pdf', content: page('/MediaBox [0 0 14400 14400]'), pages: 1, image: [8_192, 8_192] },
  {
    ...{ name: 'a page that is narrow and lies on its side', extension: 'pdf', pages: 1, image: [8_192, 57] },
    content: page('/MediaBox [0 0 100 14400] /Rotate 90'),
  },
  {
    ...{ name: 'a page of a printer whose edges are cropped', extension: 'pdf', pages: 1, image: [935, 468] },
    content: page('/MediaBox [0 0 14400 7200] /CropBox [100 100 712 406]'),
  },
  { name: 'a memo with an author', extension: 'docx', content: signedDocx(AUTHOR, TEXT), pages: 1, words: [TEXT], absent: [AUTHOR] },
  { name: 'a memo with an author', extension: 'odt', content: signedOdt(AUTHOR, TEXT), pages: 1, words: [TEXT], absent: [AUTHOR] },
  {
    ...{ name: 'a contract with tracked changes and hidden text', extension: 'docx', pages: 1 },
    ...{
      content: trackedDocx(['The price is ', '40 euros.'], 'ELEVEN'),
      words: ['The price is 40 euros.', 'row', 'end'],
      absent: ['ELEVEN'],
    },
  },
  {
    ...{ name: 'a contract with tracked changes', extension: 'odt', pages: 1 },
    ...{ content: trackedOdt('The price is 40 euros.', 'ELEVEN'), words: ['The price is 40 euros.'], absent: ['ELEVEN'] },
  },
  // The long one has no small sectors.
  ...[
    { size: 'short', kept: 'The price is 40 euros.', pages: 1 },
    { size: 'long', kept: 'The price is 40 euros. '.repeat(400), pages: 3 },
  ].map(({ size, kept, pages }) => ({
    ...{ name: `a ${size} contract with tracked changes`, extension: 'doc', pages, absent: ['ELEVEN'] },
    ...{ content: revisedDocx([kept, 'It is final.'], 'ELEVEN'), words: ['The price is 40 euros.', 'It is final.'] },
    runs: converted('docx', 'doc'),
  })),
  { name: 'slides', extension: 'odp', content: odp([]), pages: 1, image: [1_213, 683], words: ['Harbour at dawn'] },
  ...['UTF-8', 'ISO-8859-1'].map((encoding) => ({
    ...encoded('a table', 'csv', encoding, TABLE),
    ...{ pages: 1, words: CELLS, absent: [';'] },
  })),
  { ...encoded('a table with tabs', 'csv', 'UTF-16', TABLE.replaceAll(';', '\t')), pages: 1, words: CELLS },
  ...[',', ';', '\t', '|'].map((separator) => ({
    ...{ name: `texts that look like numbers between ${JSON.stringify(separator)}`, extension: separator === '\t' ? 'tsv' : 'csv' },
    ...{ content: TEXT_CELLS.map((row) => row.join(separator)).join('\r\n'), pages: 1, words: TEXT_CELLS.flat() },
  })),
  {
    ...encoded('cells of several lines, with separators and quotes', 'csv', 'WINDOWS-1252', QUOTED_CELLS),
    ...{ pages: 1, words: ['00€', 'first; line', 'second line', 'he said "no"', '=A1'], absent: ['sep='] },
  },
  {
    ...{ name: 'a table in UTF-8 with a wrong byte', extension: 'csv', pages: 1, words: ['Straße', 'Möwe', '007', 'H\ufffdfen'] },
    content: Buffer.concat([Buffer.from('Straße,Möwe,Größe\n007,H'), Buffer.from([0xe4]), Buffer.from('fen,1\n')]),
  },
  ...['UTF-8', 'ISO-8859-1', 'UTF-16LE'].map((encoding) => ({ ...encoded('a note', 'txt', encoding, TEXT), pages: 1, words: [TEXT] })),
  { ...encoded('a note', 'txt', 'WINDOWS-1251', 'Чайка над гаванью видна издалека'), pages: 1, words: ['Чайка над гаванью'] },
];

/** Encrypts nothing, but says so, and with which key. */
const locked = (content: Buffer): Buffer => {
  const key = 'ab'.repeat(32);
  const protection = `/Encrypt << /Filter /Standard /V 1 /R 2 /O <${key}> /U <${key}> /P -4 >> /ID [<00> <00>] /Root`;
  return Buffer.from(content.toString('latin1').replace('/Root', protection), 'latin1');
};

/** A table of 600 rows, or the same as a text, as LibreOffice writes it. */
const written = (extension: string): Recipe => ({
  ...{ name: 'a document that was cut off', extension, content: TABLE.repeat(200) },
  runs: converted(
    'csv',
    extension,
    extension === 'doc' ? '--infilter=Text (encoded):UTF8' : '--infilter=Text - txt - csv (StarCalc):59,34,76,1',
  ),
});
const CUT = /its end is missing\. Upload it again/;
/** Loses its middle, as an upload whose parts were put together wrongly. */
const withoutMiddle = (bytes: Buffer): Buffer => Buffer.concat([cutOff(0.3)(bytes), bytes.subarray(Math.ceil(bytes.length * 0.6))]);

/** Documents that cannot be opened: a PDF has no image of a page, any other type no PDF either. */
export const REFUSED_DOCUMENTS: readonly RefusedFile[] = [
  {
    ...{ name: 'a PDF with a password', extension: 'pdf', content: locked(page('/MediaBox [0 0 612 792]')) },
    reason: /protected by a password\. Upload it without one/,
  },
  { name: 'a PDF without pages', extension: 'pdf', content: pdf([], []), reason: /has no pages/ },
  { name: 'a damaged PDF', extension: 'pdf', content: '%PDF-1.4\nnothing else', reason: /is damaged.*Upload it again/ },
  { ...written('doc'), change: cutOff(0.5), reason: CUT },
  { ...written('xls'), change: cutOff(0.3), reason: CUT },
  { ...written('xls'), change: cutOff(0.8), reason: CUT },
  { ...written('xlsx'), change: cutOff(0.5), reason: CUT },
  ...[
    { extension: 'docx', content: signedDocx(AUTHOR, TEXT) },
    { extension: 'odt', content: signedOdt(AUTHOR, TEXT) },
    { extension: 'odp', content: odp([]) },
  ].map((cut) => ({ ...cut, name: 'a document that was cut off', change: cutOff(0.5), reason: CUT })),
  {
    ...{ name: 'a memo without its middle', extension: 'docx', content: signedDocx(AUTHOR, TEXT), change: withoutMiddle },
    reason: /LibreOffice cannot open the document\. If it has a password, upload it without one; else save it as a PDF/,
  },
  {
    ...{
      name: 'a PDF after more blanks than readers skip',
      extension: 'pdf',
      reason: /begins with bytes that are not part of it.*Save it as/,
    },
    content: Buffer.concat([Buffer.alloc(1_200, ' '), page('/MediaBox [0 0 612 792]')]),
  },
  {
    ...{
      name: 'a PDF whose name is that of a memo',
      extension: 'docx',
      reason: /is a PDF, but its name ends in \.docx\. Change the end to \.pdf/,
    },
    content: page('/MediaBox [0 0 612 792]'),
  },
  { name: 'a text that is called PDF', extension: 'pdf', content: TEXT, reason: /it is a text\. Upload a PDF|damaged.*Upload/ },
];
