import { countFiles, formatBytes } from './format.js';

/**
 * @typedef {{ name: string, size: number, sha256: string | null, etag: string | null }} ReceiptFile
 * @typedef {object} Receipt
 * @property {string} deliveredTo
 * @property {string} address
 * @property {string} deliveredAt ISO 8601
 * @property {string[]} references
 * @property {string | null} sender
 * @property {number} totalSize
 * @property {ReceiptFile[]} files
 * @property {{ name: string, size: number, reason: string }[]} notDelivered
 */

/**
 * `3 files delivered, 1.2 GB`
 * @param {Pick<Receipt, 'files' | 'totalSize'>} receipt
 */
export const summaryOf = ({ files, totalSize }) => `${countFiles(files.length)} delivered, ${formatBytes(totalSize)}`;

/** @param {Receipt} receipt */
export const receiptJson = (receipt) => `${JSON.stringify(receipt, null, 2)}\n`;

/**
 * The receipt as text; `sha256sum --check` can read its lines with checksums.
 * @param {Receipt} receipt
 */
export function receiptText(receipt) {
  const { deliveredTo, address, deliveredAt, references, sender, files, notDelivered } = receipt;
  const lines = [
    plain(summaryOf(receipt)),
    '',
    `Delivered to  ${deliveredTo}`,
    `Address       ${address}`,
    `Time          ${deliveredAt}`,
    ...(sender ? [`Sender        ${sender}`] : []),
    ...references.map((reference) => `Reference     ${reference}`),
  ];
  section(
    lines,
    'Files',
    files.map(({ name, size }) => `${name} (${size.toLocaleString('en')} bytes)`),
  );
  section(
    lines,
    'SHA-256',
    files.flatMap(({ name, sha256 }) => (sha256 ? [`${sha256}  ${name}`] : [])),
  );
  section(
    lines,
    'Entity tags of the storage',
    files.flatMap(({ name, sha256, etag }) => (!sha256 && etag ? [`${etag}  ${name}`] : [])),
  );
  section(
    lines,
    'Not delivered',
    notDelivered.map(({ name, reason }) => `${name}: ${reason}`),
  );
  return `${lines.join('\n')}\n`;
}

/**
 * @param {string[]} lines
 * @param {string} title
 * @param {string[]} content
 */
function section(lines, title, content) {
  if (content.length > 0) lines.push('', title, ...content);
}

/** @param {string} text */
const plain = (text) => text.replaceAll('\u00a0', ' ');
