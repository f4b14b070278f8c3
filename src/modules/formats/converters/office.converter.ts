import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Parameters } from '../format-settings.js';
import {
  type BuildRequest,
  type ConverterDescriptor,
  type Invocation,
  integer,
  metadataPrograms,
  type ParameterRules,
  Refusal,
  SOURCE,
  type SourceFacts,
  type Step,
  type TextFile,
} from './converter.js';
import { explainFailure, pageResolution, readPageSize } from './pdf-pages.js';

/** Images of a page: pdftoppm's option by file type. */
const PAGE_TYPES: ReadonlyMap<string, string> = new Map([
  ['jpg', '-jpeg'],
  ['png', '-png'],
]);
const PDF_FOLDER = 'pdf';
const PAGE_FACTS = 'page.txt';
const DEFAULT_QUALITY = 85;

/** For the image of a page: the page number, resolution or width in pixels, JPEG quality. A PDF has none. */
const OFFICE_PARAMETERS: ParameterRules = new Map([
  ['page', integer(1, 9_999)],
  ['dpi', integer(30, 600)],
  ['width', integer(16, 8_192)],
  ['quality', integer(1, 100)],
]);

/** Makes PDFs and images of pages from documents with LibreOffice and pdftoppm. */
export const officeConverter = {
  name: 'officeDocument',
  parameters: OFFICE_PARAMETERS,
  filetypes: ['pdf', ...PAGE_TYPES.keys()],
  source: 'measured',
  result: 'media',
  programs: (settings) =>
    PAGE_TYPES.has(settings.filetype ?? '') ? ['soffice', 'pdfinfo', 'pdftoppm', 'ffprobe', ...metadataPrograms(settings)] : ['soffice'],
  build: buildOffice,
  explainFailure,
} as const satisfies ConverterDescriptor;

/** Builds the runs: LibreOffice makes a PDF, of which pdftoppm makes the image of a page. */
function buildOffice({ command, settings, source, folder }: BuildRequest): Invocation {
  const extension = (source.fileExtension ?? '').toLowerCase();
  const isPdf = extension === 'pdf';
  const { filetype = '' } = settings;
  if (source.mediaType !== 'document') throw new Refusal('Only documents can be converted to PDF or pages.');
  if (!isTakenDocument(extension)) throw new Refusal(`Documents of the type ${JSON.stringify(extension)} are not supported.`);
  if (isPdf && filetype === 'pdf') return { kind: 'copy' };
  const input = `${SOURCE}.${extension}`;
  const pdf = isPdf ? input : `${PDF_FOLDER}/${SOURCE}.pdf`;
  const page = PAGE_TYPES.get(filetype);
  if (page === undefined && filetype !== 'pdf') throw new Refusal(`A document cannot be converted to ${filetype}.`);
  return {
    kind: 'run',
    inputs: { source: input, watermark: null, audioWatermark: null },
    files: isPdf ? [] : [OFFICE_PROFILE],
    steps: [
      ...(isPdf ? [] : [toPdf({ input, pdf, folder }, source)]),
      ...(page === undefined ? [] : toPage({ pdf, option: page }, command, source)),
    ],
    output: page === undefined ? pdf : `output.${filetype}`,
    pdf,
  };
}

/**
 * A text is in UTF-8 (code 76 of LibreOffice). In a table `"` (34) surrounds cells, the first line counts, and cells with quotes are texts (`true`),
 * which the inspection gave to all of them; numbers in others are not looked for (`false`).
 */
const inputFilterOf = ({ fileExtension, separator = ',' }: SourceFacts): readonly string[] => {
  const type = (fileExtension ?? '').toLowerCase();
  if (isTextTable(type)) return [`--infilter=Text - txt - csv (StarCalc):${separator.charCodeAt(0)},34,76,1,,0,true,false`];
  return TEXTS.has(type) ? ['--infilter=Text (encoded):UTF8'] : [];
};

interface PdfFiles {
  readonly input: string;
  readonly pdf: string;
  /** Absolute path of the folder of the transcoding. */
  readonly folder: string;
}

/** LibreOffice ends with code 0 even if it could not open the document. */
const toPdf = ({ input, pdf, folder }: PdfFiles, source: SourceFacts): Step => ({
  program: 'soffice',
  argv: [
    `-env:UserInstallation=${pathToFileURL(path.join(folder, PROFILE_FOLDER)).href}`,
    ...['--headless', '--norestore', '--nologo', '--nodefault', '--nolockcheck', '--nofirststartwizard'],
    ...inputFilterOf(source),
    ...['--convert-to', 'pdf', '--outdir', PDF_FOLDER, input],
  ],
  makes: pdf,
  stdout: null,
});

interface PageFile {
  readonly pdf: string;
  /** pdftoppm's option for the type of the image. */
  readonly option: string;
}

/** Builds the runs that make the image of a page: its size has to be known first, because some pages are larger than an image may be. */
function toPage({ pdf, option }: PageFile, command: Parameters, { pageUnits }: SourceFacts): readonly Step[] {
  const number = String(command.page ?? 1);
  const unit = pageUnits?.[Number(number) - 1];
  const only = ['-f', number, '-l', number];
  const compression = option === '-jpeg' ? ['-jpegopt', `quality=${command.quality ?? DEFAULT_QUALITY}`] : [];
  return [
    { program: 'pdfinfo', argv: ['-box', ...only, pdf], stdout: PAGE_FACTS },
    {
      program: 'pdftoppm',
      leading: { file: PAGE_FACTS, argv: (facts) => pageResolution(readPageSize(facts), command, unit) },
      argv: [...only, '-singlefile', '-cropbox', option, ...compression, pdf, 'output'],
      stdout: null,
    },
  ];
}

const ZIP = '504b0304';
const COMPOUND = 'd0cf11e0a1b11ae1';
/** The first bytes of documents by extension. LibreOffice detects types by content, and treats HTML in a .docx as HTML. */
const SIGNATURES: ReadonlyMap<string, string> = new Map([
  ...'docx dotx odt ott xlsx ods pptx ppsx odp odg'.split(' ').map((extension) => [extension, ZIP] as const),
  ...'doc dot xls ppt pps'.split(' ').map((extension) => [extension, COMPOUND] as const),
]);
const TABLES = new Set(['csv', 'tsv']);
const TEXTS = new Set(['txt', ...TABLES]);
const PDF = '%PDF-';
/** PDF readers search this many bytes for the signature. */
const PDF_HEAD = 1_024;

/** Whether a type of document is supported. HTML, RTF and similar types are not, because they can include other files. */
export const isTakenDocument = (extension: string): boolean => extension === 'pdf' || SIGNATURES.has(extension) || TEXTS.has(extension);

/** Whether a type of document is plain text, whose encoding is unknown. */
export const isTextDocument = (extension: string): boolean => TEXTS.has(extension);

/** Whether a type of document is a table of text, each line of which is a row. */
export const isTextTable = (extension: string): boolean => TABLES.has(extension);

/** Whether a document's first bytes match its extension. */
export function isDocument(extension: string, head: Buffer): boolean {
  const signature = SIGNATURES.get(extension);
  if (signature !== undefined) return head.toString('hex').startsWith(signature);
  if (extension === 'pdf') return head.toString('latin1', 0, PDF_HEAD).includes(PDF);
  return TEXTS.has(extension) && !isOtherType(head);
}

const SIGNATURES_OF_OTHERS = ['<', '{\\rtf', '%!', '%PDF', 'PK', '\xd0\xcf'];

/** Whether the first characters of a text show that it has another type. */
function isOtherType(head: Buffer): boolean {
  const text = head.toString('latin1').replace('\xef\xbb\xbf', '').trimStart();
  return SIGNATURES_OF_OTHERS.some((signature) => text.startsWith(signature));
}

/** The folder of LibreOffice's settings, separate for each transcoding, so that they neither wait for each other nor share data. */
const PROFILE_FOLDER = 'profile';

interface Setting {
  readonly path: string;
  readonly name: string;
  readonly value: string | number | boolean;
}

/** The port "discard", on which no program listens. */
const UNREACHABLE = { host: '127.0.0.1', port: 9 };
const SCRIPTING = '/org.openoffice.Office.Common/Security/Scripting';
const INTERNET = '/org.openoffice.Inet/Settings';
const SETTINGS: readonly Setting[] = [
  { path: SCRIPTING, name: 'MacroSecurityLevel', value: 3 },
  { path: SCRIPTING, name: 'DisableMacrosExecution', value: true },
  { path: SCRIPTING, name: 'DisableActiveContent', value: true },
  { path: SCRIPTING, name: 'BlockUntrustedRefererLinks', value: true },
  // Neither the author nor the last editor of a document is in its PDF.
  { path: SCRIPTING, name: 'RemovePersonalInfoOnSaving', value: true },
  { path: '/org.openoffice.Office.Writer/Content/Update', name: 'Link', value: 0 },
  { path: '/org.openoffice.Office.Calc/Content/Update', name: 'Link', value: 1 },
  { path: INTERNET, name: 'ooInetProxyType', value: 1 },
  { path: INTERNET, name: 'ooInetHTTPProxyName', value: UNREACHABLE.host },
  { path: INTERNET, name: 'ooInetHTTPProxyPort', value: UNREACHABLE.port },
  { path: INTERNET, name: 'ooInetHTTPSProxyName', value: UNREACHABLE.host },
  { path: INTERNET, name: 'ooInetHTTPSProxyPort', value: UNREACHABLE.port },
  { path: INTERNET, name: 'ooInetFTPProxyName', value: UNREACHABLE.host },
  { path: INTERNET, name: 'ooInetFTPProxyPort', value: UNREACHABLE.port },
  { path: INTERNET, name: 'ooInetNoProxy', value: '' },
];

const item = ({ path, name, value }: Setting): string =>
  `<item oor:path="${path}"><prop oor:name="${name}" oor:op="fuse"><value>${value}</value></prop></item>`;

/** Keeps documents from running macros and from loading other files, whether from this machine or the network. */
const OFFICE_PROFILE: TextFile = {
  name: `${PROFILE_FOLDER}/user/registrymodifications.xcu`,
  content: [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<oor:items xmlns:oor="http://openoffice.org/2001/registry" xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">',
    ...SETTINGS.map(item),
    '</oor:items>',
    '',
  ].join('\n'),
};
