import path from 'node:path';
import { Injectable } from '@nestjs/common';
import { detectImageType } from '../../../shared/picture-header.js';
import {
  isDocument,
  isTakenDocument,
  isTextDocument,
  isTextTable,
  MAX_PIXELS,
  parseProbe,
  type SourceFacts,
  sourceFactsOf,
  streamFacts,
  UNKNOWN_FACTS,
} from '../../formats/index.js';
import type { FileDescription, MeasuredTimes, MediaFacts, MediaType, ProblemCode } from '../../media/index.js';
import type { WorkBudget } from '../tools/work-limits.service.js';
import { executionErrors } from '../transcodings/transcodings.errors.js';
import { acceptChanges } from './accept-changes.js';
import { isCutOff } from './is-cut-off.js';
import { isZipBomb } from './is-zip-bomb.js';
import { MediaProberService, mediaFacts, NO_FACTS } from './media-prober.service.js';
import { normalizeTable, normalizeText } from './normalize-text.js';
import { isRawHead, preparePicture, RAW } from './prepare-picture.js';
import { readHead } from './read-picture-header.js';
import { repairAvi } from './repair-avi.js';

const PDF = 'a PDF';
/** The first bytes of file types, as Latin-1 text, and the names of the types for people. */
const SIGNATURES: readonly (readonly [bytes: string, name: string])[] = [
  ['PK\x03\x04', 'a ZIP archive or an office document'],
  ['PK\x05\x06', 'an empty ZIP archive'],
  ['\x1f\x8b', 'a gzip archive'],
  ['7z\xbc\xaf', 'a 7z archive'],
  ['Rar!', 'a RAR archive'],
  ['%PDF', PDF],
  ['%!', 'PostScript'],
  ['\xd0\xcf\x11\xe0', 'an old office document, or one that is protected by a password'],
  ['{\\rtf', 'a rich text'],
  ['\x7fELF', 'a program'],
  ['MZ', 'a program'],
  ['#!', 'a script'],
  ['#EXTM3U', 'a playlist'],
  ['[playlist]', 'a playlist'],
  ['\xff\x0a', 'a JPEG XL'],
  ['\0\0\0\x0cJXL ', 'a JPEG XL'],
  ['\0\0\x01\0', 'an icon'],
  ['II\xbc\x01', 'a JPEG XR'],
  ['AT&TFORM', 'a DjVu document'],
  ['gimp xcf', 'a picture of GIMP'],
  ['v/1\x01', 'an OpenEXR picture'],
  ['#?RADIANCE', 'a Radiance picture'],
  ['DDS ', 'a texture (DDS)'],
  ['qoif', 'a QOI picture'],
];
/** The head of the pictures of Netpbm: PBM, PGM, PPM and PAM. */
const NETPBM = /^P[1-7]\s/;
const BOM = '\xef\xbb\xbf';
const MARKUP = /^<(\?xml|!doctype|!--|[a-z][\w:-]*[\s>/])/i;

/** What a file is by its first bytes, as the end of a sentence that starts with `it is`; null: unknown. */
export function nameContent(head: Buffer): string | null {
  if (head.length === 0) return 'empty';
  if (head.every((byte) => byte === 0)) return 'nothing but zeros';
  const text = head.toString('latin1').replace(BOM, '').trimStart();
  const image = detectImageType(head);
  if (image !== null) return `a picture (${image})`;
  if (isRawHead(head)) return 'a raw photo';
  if (NETPBM.test(text)) return 'a picture of Netpbm (PBM, PGM, PPM or PAM)';
  const [, name] = SIGNATURES.find(([bytes]) => text.startsWith(bytes)) ?? [];
  if (name !== undefined) return name;
  if (MARKUP.test(text)) return /<svg[\s>]/i.test(text) ? 'an SVG drawing' : 'a text in a markup language';
  return isText(head) ? 'a text' : null;
}

/** Whether every byte is printable. */
const isText = (head: Buffer): boolean => head.every((byte) => byte >= 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d);

/** An original in the folder of a transcoding. */
export interface InspectedSource {
  readonly folder: string;
  readonly file: string;
  readonly mediaType: MediaType;
  /** The extension of the file's name. */
  readonly fileExtension: string;
  readonly signal: AbortSignal;
  /** What the inspection after the upload found out, so that it is not measured again; null: the file was not inspected. */
  readonly described?: FileDescription | null;
  /** What the transcoding has left; absent: there are only the limits of a measurement. */
  readonly budget?: WorkBudget | undefined;
}

/** What is known about an original, for the converter and for its media item. */
export interface Inspection {
  readonly source: SourceFacts;
  readonly media: MediaFacts;
  /** When the picture and the sounds play, if that was measured now. */
  readonly times?: readonly MeasuredTimes[];
}

export const NOUNS: Readonly<Record<MediaType, string>> = { video: 'video', audio: 'audio file', image: 'picture', document: 'document' };
/** File types that every original of a media type can be uploaded as. */
export const EXAMPLES: Readonly<Record<MediaType, string>> = {
  video: 'an MP4',
  audio: 'an MP3 or WAV',
  image: 'a JPEG or PNG',
  document: 'a PDF',
};
/** Problems that no program can read a file with, whatever it can. */
const UNUSABLE: readonly ProblemCode[] = ['empty', 'encrypted', 'wrong_type'];
/** Contents of files whose upload was interrupted. */
export const UNFINISHED: readonly string[] = ['empty', 'nothing but zeros'];

/** Why a PDF cannot be used under a name with this extension. */
const aPdfNamed = (extension: string): string =>
  extension === 'pdf'
    ? 'The PDF begins with bytes that are not part of it, so readers do not open it. Save it as a PDF again, and upload that.'
    : `The original is a PDF, but its name ends in .${extension}. Change the end to .pdf, and upload it again.`;

/** What a camera stores in colours is only the JPEG: what the sensor saw has none yet. */
const RAW_WITHOUT_JPEG = 'The original is a raw photo without a JPEG in it: export it as a JPEG and upload that.';
/** The first bytes are those of a picture, but its size cannot be read. */
const UNKNOWN_PICTURE =
  'The picture cannot be read because it is damaged, or of a kind that is not supported. Upload it again, or as a JPEG or PNG.';

/** Determines the real type of an original, independently of its name. */
@Injectable()
export class SourceInspectorService {
  constructor(private readonly prober: MediaProberService) {}

  /** Inspects an original. Throws `source_unreadable` with a sentence that says what the file is instead. */
  async inspect(source: InspectedSource): Promise<Inspection> {
    const { problem = null, problemCode } = source.described ?? {};
    if (problem !== null && UNUSABLE.some((code) => code === problemCode)) throw executionErrors.source_unreadable(problem);
    switch (source.mediaType) {
      case 'image':
        return await this.inspectImage(source);
      case 'document':
        return await this.inspectDocument(source);
      default:
        return await this.inspectMedia(source);
    }
  }

  /** The error for a file that cannot be read; its first bytes suggest the reason, and what its owner can do. */
  async unreadable({ folder, file, mediaType, fileExtension }: InspectedSource): Promise<Error> {
    const name = nameContent(await readHead(path.join(folder, file)));
    if (mediaType === 'document' && name === PDF) return executionErrors.source_unreadable(aPdfNamed(fileExtension));
    const reason = `it is ${name ?? 'damaged, or of a type that is not supported'}`;
    const advice = name === null || UNFINISHED.includes(name) ? 'Upload it again' : `Upload ${EXAMPLES[mediaType]}`;
    const alternative = name === null ? `, or as ${EXAMPLES[mediaType]}` : '';
    return executionErrors.source_unreadable(`The original is not a readable ${NOUNS[mediaType]}: ${reason}. ${advice}${alternative}.`);
  }

  private async inspectMedia(source: InspectedSource): Promise<Inspection> {
    const { folder, file, mediaType, fileExtension, signal, budget, described } = source;
    await repairAvi(path.join(folder, file));
    const probed = described?.media
      ? parseProbe(JSON.stringify(described.media))
      : await this.prober.probe({ folder, file, holds: 'media', demuxer: null, signal, budget });
    if (probed === null || (probed.videoCodec === null && probed.audioCodec === null)) throw await this.unreadable(source);
    const measured = described?.times ? null : await this.prober.measureTimes({ folder, file, probed, signal, budget });
    const times = described?.times ?? measured ?? [];
    return {
      source: { mediaType, fileExtension, ...streamFacts(probed, times) },
      media: mediaFacts(probed, times),
      ...(measured && { times: measured }),
    };
  }

  private async inspectImage(source: InspectedSource): Promise<Inspection> {
    const { folder, file, mediaType, signal, budget, described = null } = source;
    const fileExtension = await preparePicture(path.join(folder, file));
    if (fileExtension === null) throw await this.unreadable(source);
    if (fileExtension === RAW) throw executionErrors.source_unreadable(RAW_WITHOUT_JPEG);
    const known = sourceFactsOf(source, described);
    if (described !== null && known?.fileExtension === fileExtension) return { source: known, media: described };
    const probed = await this.prober.probe({ folder, file, holds: 'image', demuxer: null, signal, budget });
    if (!probed?.width || !probed.height) throw executionErrors.source_unreadable(UNKNOWN_PICTURE);
    requirePixels(probed.width * probed.height);
    return { source: { mediaType, fileExtension, ...streamFacts(probed), duration: null }, media: mediaFacts(probed) };
  }

  /** Inspects a document. LibreOffice guesses the encoding of a text wrongly, so a text is rewritten in UTF-8, and prints
   * deleted text, so that tracked changes are accepted. */
  private async inspectDocument(source: InspectedSource): Promise<Inspection> {
    const { folder, file, mediaType, fileExtension, described } = source;
    const name = path.join(folder, file);
    if (isTakenDocument(fileExtension) && !isDocument(fileExtension, await readHead(name))) throw await this.unreadable(source);
    if (await isCutOff(name))
      throw executionErrors.source_unreadable('The document cannot be opened because its end is missing. Upload it again.');
    if (await isZipBomb(name))
      throw executionErrors.source_unreadable('The document cannot be opened because it needs too much memory. Upload a PDF.');
    if (!(await acceptChanges(name, fileExtension)))
      throw executionErrors.source_unreadable(
        'The document is too long to search it for tracked changes. Accept or reject them, save it as a PDF and upload that.',
      );
    const pages = described?.pageUnits ? { pageUnits: described.pageUnits } : {};
    const table = isTextTable(fileExtension) ? { separator: await normalizeTable(name) } : {};
    if (isTextDocument(fileExtension) && !isTextTable(fileExtension)) await normalizeText(name);
    return { source: { mediaType, fileExtension, ...UNKNOWN_FACTS, ...pages, ...table }, media: NO_FACTS };
  }
}

/** Throws `source_unreadable` for a picture that is too large to be decoded. */
function requirePixels(pixels: number): void {
  if (pixels <= MAX_PIXELS) return;
  const million = (count: number) => Math.ceil(count / 1e6).toLocaleString('en');
  throw executionErrors.source_unreadable(
    `The picture has ${million(pixels)} million pixels; the limit is ${million(MAX_PIXELS)} million.`,
  );
}
