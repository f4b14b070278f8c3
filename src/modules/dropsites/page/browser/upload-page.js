// The upload page of a dropsite. This file wires the parts together; each part stands in a file of its own.
import { Announcer } from './announcer.js';
import { Checksums } from './checksums.js';
import { Choice, likeness } from './choice.js';
import { choiceStatus } from './choice-status.js';
import { claimStorage } from './claim-storage.js';
import { Delivery } from './delivery.js';
import { byId, lead, show, write } from './dom.js';
import { dropsite } from './dropsite.js';
import { DuplicatesView } from './duplicates-view.js';
import { EarlierUpload } from './earlier-upload.js';
import { EarlierView } from './earlier-view.js';
import { explainProblem } from './explain-problem.js';
import { deliveryStatus, FileList } from './file-list.js';
import { FilePicker } from './file-picker.js';
import { countFiles, formatBytes, percentOf } from './format.js';
import { PreviewWatch } from './preview-watch.js';
import { ProgressView } from './progress-view.js';
import { receiptOf } from './receipt-of.js';
import { ReceiptView } from './receipt-view.js';
import { ResumeStore } from './resume-store.js';
import { ScreenLock } from './screen-lock.js';
import { SenderForm } from './sender-form.js';
import { ServerClock } from './server-clock.js';
import { ServiceClient } from './service-client.js';
import { StorageClient } from './storage-client.js';
import { TroubleView } from './trouble-view.js';
import { whyNotYet } from './why-not-yet.js';

/** How often the figures are written: as quick as anybody can read. */
const RENDER_MS = 250;

/** @typedef {import('./upload-file.js').UploadFile} UploadFile */
/** @typedef {import('./upload-file.js').Picked} Picked */

const root = byId('upload', HTMLElement);

class UploadPage {
  #clock = new ServerClock();
  #service = new ServiceClient(dropsite.link, this.#clock);
  #storage = new StorageClient(this.#clock);
  #checksums = new Checksums();
  #choice = new Choice(dropsite.allowedTypes);
  /** @type {Set<string>} what was delivered since the page was opened; the service tells nobody what it has */
  #sentBefore = new Set();
  #store;
  /** @type {EarlierUpload | null} */
  #earlier = null;
  /** @type {Delivery | null} */
  #delivery = null;
  /** @type {string} the phase that is on the screen */
  #shownPhase = '';
  /** @type {ReturnType<typeof setTimeout> | null} */
  #scheduled = null;
  #pageTitle = document.title;
  #isMakingPreviews = false;

  #form = byId('form', HTMLFormElement);
  #picker = new FilePicker({ take: (picked) => this.#take(picked), isOpen: () => this.#delivery === null });
  #earlierView = new EarlierView();
  #senderForm = new SenderForm();
  #screenLock = new ScreenLock();
  #send = byId('send', HTMLButtonElement);
  #note = byId('note', HTMLElement);
  #trouble = new TroubleView();
  #announcer = new Announcer(byId('announcement', HTMLElement));
  #list = new FileList((file) => this.#remove(file));
  #progress = new ProgressView({
    pause: () => this.#delivery?.pause(),
    resume: () => this.#delivery?.resume(),
    retry: () => void this.#delivery?.retry(),
    finish: () => void this.#delivery?.finishWithout(),
    cancel: () => this.#cancel(),
    tryNow: () => this.#delivery?.connection.tryNow(),
  });
  #duplicates = new DuplicatesView((leftOut) => void this.#delivery?.decide(leftOut));
  #previews = new PreviewWatch(this.#service, () => this.#renderPreviews());
  #receipt = new ReceiptView({ skipChecksums: () => this.#skipChecksums(), more: () => this.#startAfresh() });

  /** @param {Storage | null} storage null: another tab sends to this dropsite, or the browser keeps nothing */
  constructor(storage) {
    this.#store = new ResumeStore(dropsite.link, storage);
    const remembered = this.#store.load();
    if (remembered) this.#earlier = new EarlierUpload(remembered, this.#store);
    this.#listen();
    this.#render();
    show(root, true);
  }

  #listen() {
    byId('discard', HTMLButtonElement).addEventListener('click', () => this.#discardEarlier());
    this.#form.addEventListener('submit', (event) => {
      event.preventDefault();
      this.#submit();
    });
    window.addEventListener('online', () => this.#delivery?.connection.tryNow());
    window.addEventListener('beforeunload', (event) => this.#isBusy && event.preventDefault());
    document.addEventListener('visibilitychange', () => this.#keepAwake());
  }

  /** Whether leaving the page would interrupt something. */
  get #isBusy() {
    return this.#delivery !== null && !['delivered', 'nothing'].includes(this.#delivery.phase);
  }

  /** @param {Picked[]} picked */
  #take(picked) {
    if (picked.length === 0) return;
    this.#trouble.forget();
    const said = this.#earlier ? this.#takeForEarlier(this.#earlier, picked) : this.#takeNew(picked);
    this.#remark(said.lasting);
    this.#announcer.say(`${said.text} ${said.lasting}`);
    this.#render();
  }

  /** @param {string} text about what was chosen last */
  #remark(text) {
    write(this.#note, text);
    show(this.#note, text !== '');
  }

  /** @param {Picked[]} picked */
  #takeNew(picked) {
    const added = this.#choice.add(picked);
    const refused = this.#choice.files.length - this.#choice.good.length;
    const known = picked.length - added;
    const lasting = [
      ...(known > 0 ? [`${countFiles(known)} you had chosen already.`] : []),
      ...(refused > 0 ? [`${countFiles(refused)} will not be sent, see below.`] : []),
    ];
    return { text: `${countFiles(added)} added.`, lasting: lasting.join(' ') };
  }

  /**
   * @param {EarlierUpload} earlier
   * @param {Picked[]} picked
   */
  #takeForEarlier(earlier, picked) {
    const { found, changed, others } = earlier.take(picked);
    this.#choice.add([...changed, ...others]);
    const names = changed.map(({ path }) => path).join(', ');
    const lasting = [
      ...(changed.length > 0 ? [`Changed since, so it is sent from the beginning: ${names}.`] : []),
      ...(others.length > 0 ? [`${countFiles(others.length)} new to this upload will be sent too.`] : []),
    ];
    return { text: `${countFiles(found)} found again.`, lasting: lasting.join(' ') };
  }

  /** @param {UploadFile} file */
  #remove(file) {
    const index = this.#choice.files.indexOf(file);
    this.#choice.remove(file);
    this.#announcer.say(`${file.path} removed.`);
    this.#render();
    if (!this.#list.focusRow(index)) this.#picker.focus();
  }

  #submit() {
    const { password } = this.#senderForm;
    const sender = this.#earlier ? this.#earlier.sender : this.#senderForm.sender;
    const problem = whyNotYet({ choice: this.#choice, form: this.#senderForm, isResumed: this.#earlier !== null, sender });
    if (problem) return this.#trouble.tell(problem);
    this.#trouble.forget();
    this.#earlier?.leaveOutMissing();
    const { batches = [], startedAt = Date.now() } = this.#earlier ?? {};
    const surroundings = {
      service: this.#service,
      storage: this.#storage,
      clock: this.#clock,
      store: this.#store,
      checksums: this.#checksums,
      onChange: () => this.#schedule(),
    };
    for (const file of this.#choice.good) if (this.#sentBefore.has(likeness(file))) file.duplicate = 'You sent it before.';
    this.#delivery = new Delivery(surroundings, { sender, password });
    this.#delivery.startedAt = startedAt;
    void this.#delivery.begin(batches, this.#choice.good);
    this.#keepAwake();
    this.#render();
    lead(this.#progress.title);
  }

  #cancel() {
    const { delivered = 0 } = this.#delivery?.amounts ?? {};
    const stays = delivered > 0 ? ` ${countFiles(delivered)} delivered already will stay.` : '';
    if (!confirm(`Stop this upload and forget it?${stays}`)) return;
    void this.#delivery?.giveUp();
    this.#startAfresh();
    this.#announcer.say('The upload was stopped.');
  }

  #discardEarlier() {
    if (!confirm('Forget the earlier upload and begin a new one?')) return;
    this.#store.clear();
    this.#startAfresh();
  }

  #startAfresh() {
    this.#earlier = null;
    this.#delivery = null;
    this.#shownPhase = '';
    this.#previews.end();
    this.#isMakingPreviews = false;
    this.#checksums.skip();
    this.#checksums = new Checksums();
    this.#choice.clear();
    this.#remark('');
    this.#trouble.forget();
    document.title = this.#pageTitle;
    this.#keepAwake();
    this.#render();
    this.#picker.focus();
  }

  #skipChecksums() {
    this.#checksums.skip();
    this.#render();
    lead(byId('receipt-title', HTMLHeadingElement));
  }

  #schedule() {
    this.#scheduled ??= setTimeout(() => {
      this.#scheduled = null;
      this.#render();
    }, RENDER_MS);
  }

  #render() {
    if (this.#delivery) this.#renderDelivery(this.#delivery);
    else this.#renderChoice();
  }

  #renderChoice() {
    const { files, good, totalSize } = this.#choice;
    this.#progress.hide();
    this.#duplicates.hide();
    this.#receipt.hide();
    const all = [...(this.#earlier?.files ?? []), ...files];
    this.#picker.render({ isSmall: all.length > 0, isQuiet: all.length > 0 && this.#earlier === null });
    const removable = (/** @type {UploadFile} */ file) => files.includes(file);
    this.#list.render(all, { status: (file) => choiceStatus(file, this.#earlier), removable });
    show(this.#form, all.length > 0);
    show(byId('sender', HTMLElement), this.#earlier === null);
    if (this.#earlier) {
      const { label, isReady } = this.#earlierView.render(this.#earlier, good.length);
      this.#send.disabled = !isReady;
      write(this.#send, label);
    } else {
      this.#earlierView.hide();
      this.#send.disabled = false;
      write(this.#send, good.length === 0 ? 'Upload' : `Upload ${countFiles(good.length)}, ${formatBytes(totalSize)}`);
    }
  }

  /** @param {Delivery} delivery */
  #renderDelivery(delivery) {
    const { phase, problem } = delivery;
    if (phase === 'stopped' && problem && !delivery.hasBegun) return this.#backToChoice(problem);
    for (const part of [this.#form, this.#note]) show(part, false);
    this.#picker.hide();
    this.#earlierView.hide();
    if (phase === 'delivered' || phase === 'nothing') this.#renderEnd(delivery);
    else this.#renderRunning(delivery);
    if (phase !== this.#shownPhase) this.#enter(delivery);
    if (phase === 'uploading' || phase === 'paused' || delivery.connection.isLost) this.#schedule(); // speed and time go on
  }

  /** @param {Error} problem */
  #backToChoice(problem) {
    this.#delivery = null;
    this.#shownPhase = '';
    this.#keepAwake();
    this.#render();
    this.#trouble.tell(explainProblem(problem));
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
    this.#list.render(phase === 'deciding' ? [] : files, { status: deliveryStatus });
    const isMoving = ['uploading', 'paused', 'completing'].includes(phase);
    document.title = isMoving ? `${percent} % – ${this.#pageTitle}` : this.#pageTitle;
    if (phase === 'uploading') this.#announcer.progress(percent, `${percent} percent of ${formatBytes(amounts.total)} uploaded.`);
  }

  /** @param {Delivery} delivery */
  #renderEnd(delivery) {
    this.#progress.hide();
    this.#duplicates.hide();
    this.#list.render([], { status: deliveryStatus });
    document.title = this.#pageTitle;
    if (delivery.phase === 'delivered') this.#receipt.render(receiptOf(delivery), this.#checksums.pending);
  }

  /** People are told twice: when it begins, and when it has ended. */
  #renderPreviews() {
    const delivered = this.#delivery?.files.filter(({ state }) => state === 'delivered') ?? [];
    this.#receipt.renderPreviews(delivered.map(({ item }) => this.#previews.of(item?.id)));
    const { isRunning } = this.#previews;
    if (isRunning !== this.#isMakingPreviews) this.#announcer.say(isRunning ? 'Previews are being made.' : 'The previews are made.');
    this.#isMakingPreviews = isRunning;
  }

  /**
   * A new phase is on the screen: what is told, and where the keyboard is led.
   * @param {Delivery} delivery
   */
  #enter(delivery) {
    const { phase, files, problem, isRemembered } = delivery;
    const before = this.#shownPhase;
    this.#shownPhase = phase;
    this.#keepAwake();
    if (phase === 'deciding') this.#duplicates.ask(files.filter(({ duplicate, isOpen }) => duplicate && isOpen));
    if (phase === 'uploading' && before !== 'paused') {
      this.#trouble.forget();
      if (!isRemembered) this.#announcer.say('The upload has begun. Keep this page open until it is done.');
      else this.#announcer.say('The upload has begun.');
      write(
        byId('keep-open', HTMLElement),
        isRemembered
          ? 'Keep this page open. If it closes, come back here and choose the same files: the upload goes on where it stopped.'
          : 'Keep this page open until everything is delivered.',
      );
    }
    if (phase === 'paused') this.#announcer.say('Paused.');
    if (phase === 'uploading' && before === 'paused') this.#announcer.say('The upload goes on.');
    if (phase === 'stuck') lead(this.#progress.title);
    if (phase === 'stopped' && problem) this.#trouble.tell(explainProblem(problem));
    if (phase === 'delivered') this.#enterReceipt(delivery);
    if (phase === 'nothing') this.#tellNothing(files);
  }

  /** @param {Delivery} delivery */
  #enterReceipt({ files, batches }) {
    for (const file of files) if (file.state === 'delivered') this.#sentBefore.add(likeness(file));
    this.#previews.begin(batches.map(({ uploadId }) => uploadId));
  }

  /** @param {UploadFile[]} files */
  #tellNothing(files) {
    const reasons = [...new Set(files.filter(({ state }) => state === 'refused').map(({ path, problem }) => `${path}: ${problem}`))];
    this.#startAfresh();
    this.#trouble.tell({ title: 'Nothing was sent', text: reasons.join(' ') || 'You left out every file.', field: null });
  }

  #keepAwake() {
    void this.#screenLock.hold(this.#delivery !== null && ['preparing', 'uploading', 'completing'].includes(this.#delivery.phase));
  }
}

// Signatures need WebCrypto, which browsers have on https and on localhost only.
if (!window.isSecureContext || !crypto.subtle) show(byId('insecure', HTMLElement), true);
else new UploadPage(await claimStorage(dropsite.link));
