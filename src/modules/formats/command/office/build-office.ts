import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { FormatSettings, Parameters } from '../../format-settings.js';
import type { Invocation, Step } from '../invocation.js';
import { SOURCE } from '../job-names.js';
import { Refusal } from '../refusal.js';
import type { SourceFacts } from '../source-facts.js';
import { isTakenDocument } from './is-document.js';
import { OFFICE_PROFILE, PROFILE_FOLDER } from './office-profile.js';

export interface OfficeRequest {
  readonly command: Parameters;
  readonly settings: FormatSettings;
  readonly source: SourceFacts;
  /** The job's folder, absolute: LibreOffice wants the address of its profile. */
  readonly folder: string;
}

/** Pictures of a page: file type and pdftoppm's option. */
export const PAGE_TYPES: ReadonlyMap<string, string> = new Map([
  ['jpg', '-jpeg'],
  ['png', '-png'],
]);
const PDF_FOLDER = 'pdf';
const DEFAULT_DPI = 110;
const DEFAULT_QUALITY = 85;

/** LibreOffice's run, which makes a PDF, and for the picture of a page pdftoppm's after it. */
export function buildOffice({ command, settings, source, folder }: OfficeRequest): Invocation {
  const extension = (source.fileExtension ?? '').toLowerCase();
  const isPdf = extension === 'pdf';
  const { filetype = '' } = settings;
  if (source.mediaType !== 'document') throw new Refusal('Only documents are made into PDF or pages.');
  if (!isTakenDocument(extension)) throw new Refusal(`Documents of the type ${JSON.stringify(extension)} are not taken.`);
  if (isPdf && filetype === 'pdf') return { kind: 'copy' };
  const input = `${SOURCE}.${extension}`;
  const pdf = isPdf ? input : `${PDF_FOLDER}/${SOURCE}.pdf`;
  const page = PAGE_TYPES.get(filetype);
  if (page === undefined && filetype !== 'pdf') throw new Refusal(`A document is not made into ${filetype}.`);
  return {
    kind: 'run',
    inputs: { source: input, watermark: null, audioWatermark: null },
    files: isPdf ? [] : [OFFICE_PROFILE],
    steps: [...(isPdf ? [] : [toPdf(input, folder)]), ...(page === undefined ? [] : [toPage(pdf, page, command)])],
    output: page === undefined ? pdf : `output.${filetype}`,
  };
}

const toPdf = (input: string, folder: string): Step => ({
  program: 'soffice',
  argv: [
    `-env:UserInstallation=${pathToFileURL(path.join(folder, PROFILE_FOLDER)).href}`,
    ...['--headless', '--norestore', '--nologo', '--nodefault', '--nolockcheck', '--nofirststartwizard'],
    ...['--convert-to', 'pdf', '--outdir', PDF_FOLDER, input],
  ],
  stdout: null,
});

function toPage(pdf: string, option: string, { page, dpi, width, quality }: Parameters): Step {
  const number = String(page ?? 1);
  const size = width === undefined ? ['-r', String(dpi ?? DEFAULT_DPI)] : ['-scale-to-x', String(width), '-scale-to-y', '-1'];
  const compression = option === '-jpeg' ? ['-jpegopt', `quality=${quality ?? DEFAULT_QUALITY}`] : [];
  return {
    program: 'pdftoppm',
    argv: ['-f', number, '-l', number, '-singlefile', ...size, option, ...compression, pdf, 'output'],
    stdout: null,
  };
}
