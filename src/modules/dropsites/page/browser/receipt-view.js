import { byId, moveFocus, show, within, write } from './dom.js';
import { formatBytes } from './format.js';
import { receiptJson, receiptText, summaryOf } from './receipt.js';

/** @typedef {import('./receipt.js').Receipt} Receipt */

/** Shows the receipt of a delivery, to print or save. */
export class ReceiptView {
  #section = byId('receipt', HTMLElement);
  #title = byId('receipt-title', HTMLHeadingElement);
  #body = byId('receipt-files', HTMLTableSectionElement);
  #template = byId('receipt-row', HTMLTemplateElement);
  #pending = byId('receipt-pending', HTMLElement);
  #missing = byId('receipt-missing', HTMLElement);
  /** @type {Receipt | null} */
  #receipt = null;
  /** @type {HTMLTableRowElement[]} one for each file; later renderings change only the checksums */
  #rows = [];

  /** @param {{ skipChecksums(): void, more(): void }} on */
  constructor(on) {
    byId('skip-checksums', HTMLButtonElement).addEventListener('click', on.skipChecksums);
    byId('send-more', HTMLButtonElement).addEventListener('click', on.more);
    byId('print', HTMLButtonElement).addEventListener('click', () => print());
    byId('save-text', HTMLButtonElement).addEventListener('click', () => this.#save('txt', 'text/plain;charset=utf-8', receiptText));
    byId('save-json', HTMLButtonElement).addEventListener('click', () => this.#save('json', 'application/json', receiptJson));
  }

  hide() {
    show(this.#section, false);
    this.#rows = [];
  }

  /**
   * @param {Receipt} receipt
   * @param {number} pending checksums that are still being computed
   */
  render(receipt, pending) {
    const isNew = this.#section.hidden;
    this.#receipt = receipt;
    write(this.#title, summaryOf(receipt));
    const time = byId('receipt-time', HTMLTimeElement);
    time.dateTime = receipt.deliveredAt;
    write(time, new Date(receipt.deliveredAt).toLocaleString('en-GB', { dateStyle: 'long', timeStyle: 'short' }));
    show(byId('receipt-sender', HTMLElement), receipt.sender !== null);
    write(byId('receipt-sender-name', HTMLElement), receipt.sender ?? '');
    write(byId('receipt-reference', HTMLElement), receipt.references.join(', '));
    if (isNew) this.#rows = receipt.files.map((file) => this.#row(file));
    if (isNew) this.#body.replaceChildren(...this.#rows);
    for (const [index, row] of this.#rows.entries()) writeChecksum(row, receipt.files[index], pending > 0);
    show(this.#pending, pending > 0);
    show(this.#missing, receipt.notDelivered.length > 0);
    byId('receipt-missing-files', HTMLUListElement).replaceChildren(...receipt.notDelivered.map(missingRow));
    show(this.#section, true);
    if (isNew) moveFocus(this.#title);
  }

  /**
   * Shows the previews of the files, in their order; a failed preview is not shown, because the file itself is delivered.
   * @param {readonly (import('./preview-watch.js').PreviewProgress | null)[]} previews
   */
  renderPreviews(previews) {
    for (const [index, row] of this.#rows.entries()) writePreview(row, previews[index] ?? null);
  }

  /** @param {import('./receipt.js').ReceiptFile} file */
  #row({ name, size }) {
    const copy = /** @type {DocumentFragment} */ (this.#template.content.cloneNode(true));
    write(within(copy, 'bdi', HTMLElement), name);
    const cell = within(copy, '.file-size', HTMLElement);
    write(cell, formatBytes(size));
    within(copy, 'progress', HTMLProgressElement).setAttribute('aria-label', `Preview of ${name}`);
    cell.title = `${size.toLocaleString('en')} bytes`;
    return within(copy, 'tr', HTMLTableRowElement);
  }

  /**
   * @param {string} extension
   * @param {string} type
   * @param {(receipt: Receipt) => string} format
   */
  #save(extension, type, format) {
    if (!this.#receipt) return;
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob([format(this.#receipt)], { type }));
    link.download = `receipt-${this.#receipt.deliveredAt.slice(0, 10)}-${this.#receipt.references[0]?.slice(0, 8)}.${extension}`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  }
}

/**
 * @param {HTMLElement} row
 * @param {import('./receipt.js').ReceiptFile | undefined} file
 * @param {boolean} isPending
 */
function writeChecksum(row, file, isPending) {
  const { sha256 = null, etag = null } = file ?? {};
  const tag = { kind: etag ? 'Entity tag' : '', text: etag ?? '' };
  const { kind, text } = sha256 ? { kind: 'SHA-256', text: sha256 } : isPending ? { kind: 'SHA-256', text: 'being computed…' } : tag;
  write(within(row, '.checksum-kind', HTMLElement), kind);
  write(within(row, 'code', HTMLElement), text);
}

/**
 * @param {HTMLElement} row
 * @param {import('./preview-watch.js').PreviewProgress | null} preview
 */
function writePreview(row, preview) {
  const isShown = preview !== null && preview.status !== 'failed';
  show(within(row, '.preview', HTMLElement), isShown);
  if (!isShown) return;
  const isRunning = preview.status === 'running';
  const text = within(row, '.preview-text', HTMLElement);
  write(text, isRunning ? `Preview is being made… ${preview.progress}\u00a0%` : 'Preview ready');
  text.dataset.tone = isRunning ? 'calm' : 'good';
  const bar = within(row, 'progress', HTMLProgressElement);
  show(bar, isRunning);
  bar.value = preview.progress;
}

/** @param {Receipt['notDelivered'][number]} file */
function missingRow({ name, reason }) {
  const row = document.createElement('li');
  const label = document.createElement('bdi');
  label.textContent = name;
  row.append(label, ` – ${reason}`);
  return row;
}
