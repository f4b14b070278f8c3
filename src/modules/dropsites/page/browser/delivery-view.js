import { byId, moveFocus, write } from './dom.js';
import { DuplicatesView } from './duplicates-view.js';
import { explainProblem } from './explain-problem.js';
import { deliveryStatus } from './file-list.js';
import { formatBytes, percentOf } from './format.js';
import { ProgressView } from './progress-view.js';
import { receiptOf } from './receipt-of.js';
import { ReceiptView } from './receipt-view.js';

/** @typedef {import('./delivery.js').Delivery} Delivery */

const KEEP_OPEN = 'Keep this page open until everything is delivered.';
const COME_BACK = 'Keep this page open. If it closes, open it again and choose the same files: the upload continues where it stopped.';

/** Shows a delivery: its progress, the decisions of the person, and its result. */
export class DeliveryView {
  #pageTitle = document.title;
  /** @type {string} the phase that is shown */
  #shownPhase = '';
  #isMakingPreviews = false;
  #parts;
  #progress;
  #duplicates;
  #receipt;

  /**
   * @param {{ announcer: import('./announcer.js').Announcer, list: import('./file-list.js').FileList,
   *   trouble: import('./trouble-view.js').TroubleView }} parts that it shares with the choice of files
   * @param {{ delivery: () => Delivery | null, cancel: () => void, skipChecksums: () => void, more: () => void }} page
   */
  constructor(parts, { delivery, cancel, skipChecksums, more }) {
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
  get title() {
    return this.#progress.title;
  }

  hide() {
    this.#shownPhase = '';
    this.#isMakingPreviews = false;
    document.title = this.#pageTitle;
    this.#progress.hide();
    this.#duplicates.hide();
    this.#receipt.hide();
  }

  /**
   * Shows the delivery; returns whether its phase is new.
   * @param {Delivery} delivery
   * @param {number} pendingChecksums
   */
  render(delivery, pendingChecksums) {
    const { phase } = delivery;
    if (phase === 'delivered' || phase === 'nothing') this.#renderEnd(delivery, pendingChecksums);
    else this.#renderRunning(delivery);
    const before = this.#shownPhase;
    this.#shownPhase = phase;
    if (phase === before) return false;
    this.#enter(delivery, before);
    return true;
  }

  /**
   * Shows the previews, and announces their start and end.
   * @param {Delivery | null} delivery
   * @param {import('./preview-watch.js').PreviewWatch} previews
   */
  renderPreviews(delivery, previews) {
    const delivered = delivery?.files.filter(({ state }) => state === 'delivered') ?? [];
    this.#receipt.renderPreviews(delivered.map(({ item }) => previews.progressOf(item?.id)));
    const { isRunning } = previews;
    if (isRunning !== this.#isMakingPreviews) this.#parts.announcer.say(isRunning ? 'Previews are being made.' : 'The previews are ready.');
    this.#isMakingPreviews = isRunning;
  }

  /** @param {Delivery} delivery */
  #renderRunning(delivery) {
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

  /**
   * @param {Delivery} delivery
   * @param {number} pendingChecksums
   */
  #renderEnd(delivery, pendingChecksums) {
    this.#progress.hide();
    this.#duplicates.hide();
    this.#parts.list.render([], { status: deliveryStatus });
    document.title = this.#pageTitle;
    if (delivery.phase === 'delivered') this.#receipt.render(receiptOf(delivery), pendingChecksums);
  }

  /**
   * Announces a new phase and moves the focus.
   * @param {Delivery} delivery
   * @param {string} before
   */
  #enter({ phase, files, problem, isRemembered }, before) {
    const { announcer, trouble } = this.#parts;
    if (phase === 'deciding') this.#duplicates.ask(files.filter(({ duplicate, isOpen }) => duplicate && isOpen));
    if (phase === 'uploading' && before === 'paused') announcer.say('The upload continues.');
    else if (phase === 'uploading') {
      trouble.clear();
      announcer.say(isRemembered ? 'The upload has started.' : 'The upload has started. Keep this page open until it is complete.');
      write(byId('keep-open', HTMLElement), isRemembered ? COME_BACK : KEEP_OPEN);
    }
    if (phase === 'paused') announcer.say('Paused.');
    if (phase === 'stuck') moveFocus(this.#progress.title);
    if (phase === 'stopped' && problem) trouble.show(explainProblem(problem));
  }
}
