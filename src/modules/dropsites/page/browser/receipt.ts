import type { Delivery } from './delivery.js';
import { byId, copyOf, moveFocus, show, within, write } from './dom.js';
import { countFiles, formatBytes, sizeOf } from './format.js';
import type { PreviewProgress } from './service-client.js';

interface ReceiptFile {
  readonly name: string;
  readonly size: number;
  readonly sha256: string | null;
  readonly etag: string | null;
}

export interface Receipt {
  readonly deliveredTo: string;
  readonly address: string;
  /** ISO 8601. */
  readonly deliveredAt: string;
  readonly references: readonly string[];
  readonly sender: string | null;
  readonly totalSize: number;
  readonly files: readonly ReceiptFile[];
  readonly notDelivered: readonly { readonly name: string; readonly size: number; readonly reason: string }[];
}

/** The receipt of a completed delivery to a dropsite. */
export function receiptOf({ files, batches, deliveredAt, sender }: Delivery, deliveredTo: string): Receipt {
  const delivered = files.filter(({ state }) => state === 'delivered');
  const name = [sender?.firstname, sender?.lastname].filter(Boolean).join(' ');
  return {
    deliveredTo,
    address: `${location.origin}${location.pathname}`,
    deliveredAt: new Date(deliveredAt ?? Date.now()).toISOString(),
    references: batches.filter((batch) => batch.files.length > 0).map(({ uploadId }) => uploadId),
    sender: name || sender?.email || null,
    totalSize: sizeOf(delivered),
    files: delivered.map(({ path, size, progress }) => ({
      name: path,
      size,
      sha256: progress.sha256 ?? null,
      etag: progress.etag || null,
    })),
    notDelivered: files
      .filter(({ state }) => state !== 'delivered')
      .map(({ path, size, state, problem }) => ({ name: path, size, reason: problem || (state === 'left-out' ? 'left out' : state) })),
  };
}

/** `3 files delivered, 1.2 GB` */
const summaryOf = ({ files, totalSize }: Receipt): string => `${countFiles(files.length)} delivered, ${formatBytes(totalSize)}`;

export const receiptJson = (receipt: Receipt): string => `${JSON.stringify(receipt, null, 2)}\n`;

/** The receipt as text; `sha256sum --check` can read its lines with checksums. */
export function receiptText(receipt: Receipt): string {
  const { deliveredTo, address, deliveredAt, references, sender, files, notDelivered } = receipt;
  const lines = [
    summaryOf(receipt).replaceAll('\u00a0', ' '),
    '',
    `Delivered to  ${deliveredTo}`,
    `Address       ${address}`,
    `Time          ${deliveredAt}`,
    ...(sender ? [`Sender        ${sender}`] : []),
    ...references.map((reference) => `Reference     ${reference}`),
  ];
  const sections = {
    Files: files.map(({ name, size }) => `${name} (${size.toLocaleString('en')} bytes)`),
    'SHA-256': files.flatMap(({ name, sha256 }) => (sha256 ? [`${sha256}  ${name}`] : [])),
    'Entity tags of the storage': files.flatMap(({ name, sha256, etag }) => (!sha256 && etag ? [`${etag}  ${name}`] : [])),
    'Not delivered': notDelivered.map(({ name, reason }) => `${name}: ${reason}`),
  };
  for (const [title, content] of Object.entries(sections)) if (content.length > 0) lines.push('', title, ...content);
  return `${lines.join('\n')}\n`;
}

/** Shows the receipt of a delivery, to print or save. */
export class ReceiptView {
  #section = byId('receipt', HTMLElement);
  #title = byId('receipt-title', HTMLHeadingElement);
  #time = byId('receipt-time', HTMLTimeElement);
  #body = byId('receipt-files', HTMLTableSectionElement);
  #template = byId('receipt-row', HTMLTemplateElement);
  #pending = byId('receipt-pending', HTMLElement);
  #missing = byId('receipt-missing', HTMLElement);
  #receipt: Receipt | null = null;
  /** One for each file; later renderings change only the checksums. */
  #rows: HTMLTableRowElement[] = [];

  constructor({ skipChecksums, more }: { skipChecksums: () => void; more: () => void }) {
    byId('skip-checksums', HTMLButtonElement).addEventListener('click', skipChecksums);
    byId('send-more', HTMLButtonElement).addEventListener('click', more);
    byId('print', HTMLButtonElement).addEventListener('click', () => print());
    byId('save-text', HTMLButtonElement).addEventListener('click', () => this.#save('txt', 'text/plain;charset=utf-8', receiptText));
    byId('save-json', HTMLButtonElement).addEventListener('click', () => this.#save('json', 'application/json', receiptJson));
  }

  hide(): void {
    show(this.#section, false);
    this.#rows = [];
  }

  /** `pending`: the number of checksums that are still being computed. */
  render(receipt: Receipt, pending: number): void {
    const isNew = this.#section.hidden;
    this.#receipt = receipt;
    write(this.#title, summaryOf(receipt));
    this.#time.dateTime = receipt.deliveredAt;
    write(this.#time, new Date(receipt.deliveredAt).toLocaleString('en-GB', { dateStyle: 'long', timeStyle: 'short' }));
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

  /** Shows the previews of the files, in their order; a failed preview is not shown, because the file itself is delivered. */
  renderPreviews(previews: readonly (PreviewProgress | null)[]): void {
    for (const [index, row] of this.#rows.entries()) writePreview(row, previews[index] ?? null);
  }

  #row({ name, size }: ReceiptFile): HTMLTableRowElement {
    const row = within(copyOf(this.#template), 'tr', HTMLTableRowElement);
    write(within(row, 'bdi', HTMLElement), name);
    const cell = within(row, '.file-size', HTMLElement);
    write(cell, formatBytes(size));
    cell.title = `${size.toLocaleString('en')} bytes`;
    within(row, 'progress', HTMLProgressElement).setAttribute('aria-label', `Preview of ${name}`);
    return row;
  }

  #save(extension: string, type: string, format: (receipt: Receipt) => string): void {
    if (!this.#receipt) return;
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob([format(this.#receipt)], { type }));
    link.download = `receipt-${this.#receipt.deliveredAt.slice(0, 10)}-${this.#receipt.references[0]?.slice(0, 8)}.${extension}`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  }
}

function writeChecksum(row: HTMLElement, file: ReceiptFile | undefined, isPending: boolean): void {
  const { sha256 = null, etag = null } = file ?? {};
  const [kind, text] = sha256 || isPending ? ['SHA-256', sha256 ?? 'being computed…'] : etag ? ['Entity tag', etag] : ['', ''];
  write(within(row, '.checksum-kind', HTMLElement), kind);
  write(within(row, 'code', HTMLElement), text);
}

function writePreview(row: HTMLElement, preview: PreviewProgress | null): void {
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

function missingRow({ name, reason }: Receipt['notDelivered'][number]): HTMLLIElement {
  const row = document.createElement('li');
  const label = document.createElement('bdi');
  label.textContent = name;
  row.append(label, ` – ${reason}`);
  return row;
}
