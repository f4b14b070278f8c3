const ZIP = '504b0304';
const COMPOUND = 'd0cf11e0a1b11ae1';
/** What documents begin with, by their extension. LibreOffice goes by the content, and takes HTML that is called a .docx for HTML. */
const SIGNATURES: ReadonlyMap<string, string> = new Map([
  ...'docx dotx odt ott xlsx ods pptx ppsx odp odg'.split(' ').map((extension) => [extension, ZIP] as const),
  ...'doc dot xls ppt pps'.split(' ').map((extension) => [extension, COMPOUND] as const),
]);
const TEXTS = new Set(['txt', 'csv']);
const PDF = '%PDF-';
/** Readers look for it so far. */
const PDF_HEAD = 1_024;

/** The documents that are taken. HTML, RTF and the like are not: they are made of what they only name, which may be any file. */
export const isTakenDocument = (extension: string): boolean => extension === 'pdf' || SIGNATURES.has(extension) || TEXTS.has(extension);

/** Whether a document's first bytes are of the kind that its extension promises. */
export function isDocument(extension: string, head: Buffer): boolean {
  const signature = SIGNATURES.get(extension);
  if (signature !== undefined) return head.toString('hex').startsWith(signature);
  if (extension === 'pdf') return head.toString('latin1', 0, PDF_HEAD).includes(PDF);
  return TEXTS.has(extension) && !isMarked(head);
}

const MARKS = ['<', '{\\rtf', '%!', '%PDF', 'PK', '\xd0\xcf'];

/** Texts that say in their first characters that they are more than that. */
function isMarked(head: Buffer): boolean {
  const text = head.toString('latin1').replace('\xef\xbb\xbf', '').trimStart();
  return MARKS.some((mark) => text.startsWith(mark));
}
