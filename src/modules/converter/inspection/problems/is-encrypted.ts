import { inflateRawSync } from 'node:zlib';
import { readArchiveEnd } from '../../execution/is-zip-bomb.js';
import type { FileBytes } from './file-bytes.js';

const ZIP = Buffer.from('PK\x03\x04', 'latin1');
const COMPOUND = Buffer.from('d0cf11e0a1b11ae1', 'hex');

/** Whether an archive or office document needs a password to be read; false for other files. */
export async function isEncrypted(file: FileBytes): Promise<boolean> {
  const head = await file.read(0, COMPOUND.length);
  if (head.subarray(0, ZIP.length).equals(ZIP)) return await isArchiveEncrypted(file);
  return head.equals(COMPOUND) && (await isCompoundEncrypted(file));
}

const ENTRY = Buffer.from('PK\x01\x02', 'latin1');
const ENTRY_BYTES = 46;
const LOCAL_BYTES = 30;
/** The largest real documents list a few thousand parts. */
const MAX_LIST_BYTES = 16_777_216;
/** The list of the parts of an OpenDocument file; larger ones are not read. */
const MANIFEST = 'META-INF/manifest.xml';
const MAX_MANIFEST_BYTES = 4_194_304;

/** An entry of the archive is encrypted (APPNOTE 4.4.4), or its manifest says so (OpenDocument 1.3 part 2 section 4.5). */
async function isArchiveEncrypted(file: FileBytes): Promise<boolean> {
  const end = await readArchiveEnd(file.handle, file.size);
  if (end === null || end.length > MAX_LIST_BYTES) return false;
  const list = await file.read(end.offset, end.length);
  for (let at = 0; at + ENTRY_BYTES <= list.length && list.subarray(at, at + 4).equals(ENTRY); ) {
    const [nameBytes, extraBytes, commentBytes] = [28, 30, 32].map((offset) => list.readUInt16LE(at + offset)) as [number, number, number];
    if (list.readUInt16LE(at + 8) & 1) return true;
    const name = list.toString('latin1', at + ENTRY_BYTES, at + ENTRY_BYTES + nameBytes);
    if (name === MANIFEST && (await readManifest(file, list.subarray(at))).includes('encryption-data')) return true;
    at += ENTRY_BYTES + nameBytes + extraBytes + commentBytes;
  }
  return false;
}

/** The content of a listed entry; empty if it cannot be read. */
async function readManifest(file: FileBytes, entry: Buffer): Promise<string> {
  const [method, bytes, start] = [entry.readUInt16LE(10), entry.readUInt32LE(20), entry.readUInt32LE(42)];
  const local = await file.read(start, LOCAL_BYTES);
  if (local.length < LOCAL_BYTES || bytes > MAX_MANIFEST_BYTES) return '';
  const content = await file.read(start + LOCAL_BYTES + local.readUInt16LE(26) + local.readUInt16LE(28), bytes);
  try {
    return (method === 0 ? content : inflateRawSync(content, { maxOutputLength: MAX_MANIFEST_BYTES })).toString('utf8');
  } catch {
    return ''; // a damaged archive is no encrypted one
  }
}

/** The fields of an entry of a compound file's directory ([MS-CFB] 2.6.1). */
const START_SECTOR = 116;
const DIRECTORY_ENTRY_BYTES = 128;
const nameOf = (stream: string): Buffer => Buffer.from(`${stream}\0`, 'utf16le');

/** A document of Office 2007 is encrypted as a stream, a presentation has another summary, and texts and tables say so at their beginning. */
async function isCompoundEncrypted(file: FileBytes): Promise<boolean> {
  for (const stream of ['EncryptedPackage', 'EncryptedSummary']) if (await file.includes(nameOf(stream))) return true;
  const text = await readStream(file, 'WordDocument');
  if (text.length > 0x0b) return (text.readUInt16LE(0x0a) & 0x01_00) !== 0; // fEncrypted ([MS-DOC] 2.5.2)
  return hasFilePass(await readStream(file, 'Workbook'));
}

/** The first bytes of a stream; empty: there is none. */
async function readStream(file: FileBytes, name: string): Promise<Buffer> {
  const at = await file.find(nameOf(name));
  const entry = at === null ? null : Buffer.from(await file.read(at, DIRECTORY_ENTRY_BYTES));
  if (entry === null || entry.length < DIRECTORY_ENTRY_BYTES) return Buffer.alloc(0);
  const shift = (await file.read(30, 2)).readUInt16LE(0);
  const sectorBytes = shift === 12 ? 4_096 : 512;
  return await file.read((entry.readUInt32LE(START_SECTOR) + 1) * sectorBytes, 512);
}

const FILE_PASS = 0x2f;

/** Whether the records at the beginning of a workbook say that the others are encrypted ([MS-XLS] 2.4.117). */
function hasFilePass(workbook: Buffer): boolean {
  for (let at = 0; at + 4 <= workbook.length; at += 4 + workbook.readUInt16LE(at + 2))
    if (workbook.readUInt16LE(at) === FILE_PASS) return true;
  return false;
}
