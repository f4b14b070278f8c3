import type { UploadFile } from '@media-delivery/sdk/uploader';
import type { Delivery } from './delivery.js';
import { type Announcer, byId, copyOf, moveFocus, show, within, write } from './dom.js';
import { dropsite } from './dropsite.js';
import { deliveryStatus, type FileList } from './file-list.js';
import { formatBytes, percentOf } from './format.js';
import type { PreviewWatch } from './preview-watch.js';
import { explainProblem, type ProblemView } from './problems.js';
import { ProgressView } from './progress-view.js';
import { ReceiptView, receiptOf } from './receipt.js';

const KEEP_OPEN = 'Keep this page open until everything is delivered.';
const COME_BACK = 'Keep this page open. If it closes, open it again and choose the same files: the upload continues where it stopped.';

/** The parts of the page that a delivery shares with the choice of files. */
interface Parts {
  readonly announcer: Announcer;
  readonly list: FileList;
  readonly problem: ProblemView;
}

interface Actions {
  delivery(): Delivery | null;
  cancel(): void;
  skipChecksums(): void;
  more(): void;
}

/** Shows a delivery: its progress, the decisions of the person, and its result. */
export class DeliveryView {
  #pageTitle = document.title;
  #shownPhase: Delivery['phase'] | null = null;
  #isMakingPreviews = false;
  #parts;
  #progress;
  #duplicates;
  #receipt;

  constructor(parts: Parts, { delivery, cancel, skipChecksums, more }: Actions) {
    this.#parts = parts;
    this.#progress = new ProgressView({
      pause: () => delivery()?.pause(),
      resume: () => delivery()?.resume(),
      retry: () => void delivery()?.retry(),
      finish: () => void delivery()?.finishWithout(),
      cancel,
      tryNow: () => delivery()?.connection.tryNow(),
    });
    this.#duplicates = new DuplicatesView((leftOut) => void delivery()?.decide(leftOut));
    this.#receipt = new ReceiptView({ skipChecksums, more });
  }

  /** The element that gets the focus at the start. */
  get title(): HTMLElement {
    return this.#progress.title;
  }

  hide(): void {
    this.#shownPhase = null;
    this.#isMakingPreviews = false;
    document.title = this.#pageTitle;
    this.#progress.hide();
    this.#duplicates.hide();
    this.#receipt.hide();
  }

  /** Shows the delivery; returns whether its phase is new. */
  render(delivery: Delivery, pendingChecksums: number): boolean {
    const { phase } = delivery;
    if (phase === 'delivered' || phase === 'nothing') this.#renderEnd(delivery, pendingChecksums);
    else this.#renderRunning(delivery);
    const before = this.#shownPhase;
    this.#shownPhase = phase;
    if (phase === before) return false;
    this.#enter(delivery, before);
    return true;
  }

  /** Shows the previews, and announces their start and end. */
  renderPreviews(delivery: Delivery | null, previews: PreviewWatch): void {
    const delivered = delivery?.files.filter(({ state }) => state === 'delivered') ?? [];
    this.#receipt.renderPreviews(delivered.map(({ item }) => previews.progressOf(item?.id)));
    const { isRunning } = previews;
    if (isRunning !== this.#isMakingPreviews) this.#parts.announcer.say(isRunning ? 'Previews are being made.' : 'The previews are ready.');
    this.#isMakingPreviews = isRunning;
  }

  #renderRunning(delivery: Delivery): void {
    const { phase, amounts, files } = delivery;
    const percent = percentOf(amounts.sent, amounts.total);
    if (phase === 'deciding') this.#progress.hide();
    else {
      this.#duplicates.hide();
      this.#progress.render(delivery);
    }
    this.#parts.list.render(phase === 'deciding' ? [] : files, { status: deliveryStatus });
    const isMoving = ['uploading', 'paused', 'completing'].includes(phase);
    document.title = isMoving ? `${percent} % – ${this.#pageTitle}` : this.#pageTitle;
    if (phase === 'uploading') this.#parts.announcer.progress(percent, `${percent} percent of ${formatBytes(amounts.total)} uploaded.`);
  }

  #renderEnd(delivery: Delivery, pendingChecksums: number): void {
    this.#progress.hide();
    this.#duplicates.hide();
    this.#parts.list.render([], { status: deliveryStatus });
    document.title = this.#pageTitle;
    if (delivery.phase === 'delivered') this.#receipt.render(receiptOf(delivery, dropsite.name), pendingChecksums);
  }

  /** Announces a new phase and moves the focus. */
  #enter({ phase, files, problem, isRemembered }: Delivery, before: Delivery['phase'] | null): void {
    const { announcer } = this.#parts;
    if (phase === 'deciding') this.#duplicates.ask(files.filter(({ duplicate, isOpen }) => duplicate && isOpen));
    if (phase === 'uploading' && before === 'paused') announcer.say('The upload continues.');
    else if (phase === 'uploading') {
      this.#parts.problem.clear();
      announcer.say(isRemembered ? 'The upload has started.' : 'The upload has started. Keep this page open until it is complete.');
      write(byId('keep-open', HTMLElement), isRemembered ? COME_BACK : KEEP_OPEN);
    }
    if (phase === 'paused') announcer.say('Paused.');
    if (phase === 'stuck') moveFocus(this.#progress.title);
    if (phase === 'stopped' && problem) this.#parts.problem.show(explainProblem(problem));
  }
}

/** Lists possible duplicates, from which the person selects those to send anyway. */
class DuplicatesView {
  #section = byId('duplicates', HTMLElement);
  #title = byId('duplicates-title', HTMLHeadingElement);
  #list = byId('duplicate-files', HTMLUListElement);
  #template = byId('duplicate-row', HTMLTemplateElement);
  #boxes = new Map<UploadFile, HTMLInputElement>();
  #sendTicked = byId('send-ticked', HTMLButtonElement);
  #sendAll = byId('send-all', HTMLButtonElement);

  constructor(onDecide: (leftOut: UploadFile[]) => void) {
    this.#sendAll.addEventListener('click', () => onDecide([]));
    this.#sendTicked.addEventListener('click', () => {
      onDecide([...this.#boxes].filter(([, box]) => !box.checked).map(([file]) => file));
    });
    this.#list.addEventListener('change', () => this.#label());
  }

  hide(): void {
    show(this.#section, false);
  }

  ask(files: readonly UploadFile[]): void {
    this.#boxes.clear();
    this.#list.replaceChildren(...files.map((file, index) => this.#row(file, index)));
    write(this.#title, files.length === 1 ? 'One file seems to be a duplicate' : `${files.length} files seem to be duplicates`);
    this.#label();
    show(this.#section, true);
    moveFocus(this.#title);
  }

  /** Labels the buttons with their effect. */
  #label(): void {
    const ticked = [...this.#boxes.values()].filter(({ checked }) => checked).length;
    const all = this.#boxes.size;
    const leaveOut = all === 1 ? 'Leave it out' : 'Leave them out';
    write(this.#sendTicked, ticked === 0 ? leaveOut : `Upload ${ticked} of ${all} anyway`);
    write(this.#sendAll, all === 1 ? 'Upload it anyway' : 'Upload all anyway');
    show(this.#sendAll, ticked < all);
  }

  #row(file: UploadFile, index: number): DocumentFragment {
    const row = copyOf(this.#template);
    const box = within(row, 'input', HTMLInputElement);
    box.id = `duplicate-${index}`;
    within(row, 'label', HTMLLabelElement).htmlFor = box.id;
    write(within(row, 'bdi', HTMLElement), file.path);
    write(within(row, '.file-size', HTMLElement), formatBytes(file.size));
    this.#boxes.set(file, box);
    return row;
  }
}
