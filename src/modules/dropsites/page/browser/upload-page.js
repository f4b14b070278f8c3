// The upload page of a dropsite: connects the parts, each of which has its own file.
import { ServerClock, StorageClient } from '@media-delivery/sdk/uploader';
import { Announcer } from './announcer.js';
import { Checksums } from './checksums.js';
import { Choice, likeness } from './choice.js';
import { ChoiceView } from './choice-view.js';
import { claimStorage } from './claim-storage.js';
import { describeClosing } from './closing-time.js';
import { Delivery } from './delivery.js';
import { DeliveryView } from './delivery-view.js';
import { byId, moveFocus, show, write } from './dom.js';
import { dropsite } from './dropsite.js';
import { EarlierUpload } from './earlier-upload.js';
import { explainProblem } from './explain-problem.js';
import { FileList } from './file-list.js';
import { FilePicker } from './file-picker.js';
import { countFiles } from './format.js';
import { remarkOnFound, remarkOnNew } from './picked-remark.js';
import { PreviewWatch } from './preview-watch.js';
import { ResumeStore } from './resume-store.js';
import { ScreenLock } from './screen-lock.js';
import { SenderForm } from './sender-form.js';
import { ServiceClient } from './service-client.js';
import { TroubleView } from './trouble-view.js';
import { whyNotYet } from './why-not-yet.js';

/** Interval between updates of the figures, as often as people can read them. */
const RENDER_MS = 250;

/** @typedef {import('@media-delivery/sdk/uploader').UploadFile} UploadFile */
/** @typedef {import('./picked-file.js').Picked} Picked */

const root = byId('upload', HTMLElement);

class UploadPage {
  #clock = new ServerClock();
  #service = new ServiceClient(dropsite.link, this.#clock);
  #storage = new StorageClient(this.#clock);
  #checksums = new Checksums();
  #choice = new Choice(dropsite.allowedTypes);
  /** @type {Set<string>} files that were delivered since the page was opened, because the service does not list them */
  #sentBefore = new Set();
  #store;
  /** @type {EarlierUpload | null} */
  #earlier = null;
  /** @type {Delivery | null} */
  #delivery = null;
  /** @type {ReturnType<typeof setTimeout> | null} */
  #scheduled = null;

  #picker = new FilePicker({ take: (picked) => this.#take(picked), isOpen: () => this.#delivery === null });
  #senderForm = new SenderForm();
  #screenLock = new ScreenLock();
  #trouble = new TroubleView();
  #announcer = new Announcer(byId('announcement', HTMLElement));
  #list = new FileList((file) => this.#remove(file));
  #choiceView = new ChoiceView({ picker: this.#picker, list: this.#list });
  #deliveryView = new DeliveryView(
    { announcer: this.#announcer, list: this.#list, trouble: this.#trouble },
    {
      delivery: () => this.#delivery,
      cancel: () => this.#cancel(),
      skipChecksums: () => this.#skipChecksums(),
      more: () => this.#startAfresh(),
    },
  );
  #previews = new PreviewWatch(this.#service, () => this.#deliveryView.renderPreviews(this.#delivery, this.#previews));

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
    byId('form', HTMLFormElement).addEventListener('submit', (event) => {
      event.preventDefault();
      this.#submit();
    });
    window.addEventListener('online', () => this.#delivery?.connection.tryNow());
    window.addEventListener('beforeunload', (event) => this.#isBusy && event.preventDefault());
    document.addEventListener('visibilitychange', () => this.#keepAwake());
  }

  /** Whether leaving the page would interrupt an upload. */
  get #isBusy() {
    return this.#delivery !== null && !['delivered', 'nothing'].includes(this.#delivery.phase);
  }

  /** @param {Picked[]} picked */
  #take(picked) {
    if (picked.length === 0) return;
    this.#trouble.clear();
    const said = this.#earlier ? this.#takeForEarlier(this.#earlier, picked) : this.#takeNew(picked);
    this.#choiceView.remark(said.lasting);
    this.#announcer.say(`${said.text} ${said.lasting}`);
    this.#render();
  }

  /** @param {Picked[]} picked */
  #takeNew(picked) {
    const added = this.#choice.add(picked);
    const refused = this.#choice.files.length - this.#choice.good.length;
    return remarkOnNew({ added, known: picked.length - added, refused });
  }

  /**
   * @param {EarlierUpload} earlier
   * @param {Picked[]} picked
   */
  #takeForEarlier(earlier, picked) {
    const taken = earlier.take(picked);
    this.#choice.add([...taken.changed, ...taken.others]);
    return remarkOnFound(taken);
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
    if (problem) return this.#trouble.show(problem);
    this.#trouble.clear();
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
    for (const file of this.#choice.good) if (this.#sentBefore.has(likeness(file))) file.duplicate = 'You have sent this file before.';
    this.#delivery = new Delivery(surroundings, { sender, password, startedAt });
    void this.#delivery.start(batches, this.#choice.good);
    this.#keepAwake();
    this.#render();
    moveFocus(this.#deliveryView.title);
  }

  #cancel() {
    const { delivered = 0 } = this.#delivery?.amounts ?? {};
    const stays = delivered > 0 ? ` ${countFiles(delivered)} already delivered will remain.` : '';
    if (!confirm(`Stop and discard this upload?${stays}`)) return;
    void this.#delivery?.giveUp();
    this.#startAfresh();
    this.#announcer.say('The upload was stopped.');
  }

  #discardEarlier() {
    if (!confirm('Discard the earlier upload and start a new one?')) return;
    this.#store.clear();
    this.#startAfresh();
  }

  #startAfresh() {
    this.#earlier = null;
    this.#delivery = null;
    this.#previews.stop();
    this.#checksums.skip();
    this.#checksums = new Checksums();
    this.#choice.clear();
    this.#choiceView.remark('');
    this.#trouble.clear();
    this.#keepAwake();
    this.#render();
    this.#picker.focus();
  }

  #skipChecksums() {
    this.#checksums.skip();
    this.#render();
    moveFocus(byId('receipt-title', HTMLHeadingElement));
  }

  #schedule() {
    this.#scheduled ??= setTimeout(() => {
      this.#scheduled = null;
      this.#render();
    }, RENDER_MS);
  }

  #render() {
    if (this.#delivery) return this.#renderDelivery(this.#delivery);
    this.#deliveryView.hide();
    this.#choiceView.render(this.#choice, this.#earlier);
  }

  /** @param {Delivery} delivery */
  #renderDelivery(delivery) {
    const { phase, problem } = delivery;
    if (phase === 'stopped' && problem && !delivery.hasStarted) return this.#backToChoice(problem);
    this.#choiceView.hide();
    if (this.#deliveryView.render(delivery, this.#checksums.pending)) this.#enter(delivery);
    if (phase === 'uploading' || phase === 'paused' || delivery.connection.isLost) this.#schedule(); // updates speed and remaining time
  }

  /** @param {Error} problem */
  #backToChoice(problem) {
    this.#delivery = null;
    this.#keepAwake();
    this.#render();
    this.#trouble.show(explainProblem(problem));
  }

  /** @param {Delivery} delivery */
  #enter(delivery) {
    this.#keepAwake();
    if (delivery.phase === 'delivered') this.#enterReceipt(delivery);
    if (delivery.phase === 'nothing') this.#showNothingSent(delivery.files);
  }

  /** @param {Delivery} delivery */
  #enterReceipt({ files, batches }) {
    for (const file of files) if (file.state === 'delivered') this.#sentBefore.add(likeness(file));
    this.#previews.start(batches.map(({ uploadId }) => uploadId));
  }

  /** @param {readonly UploadFile[]} files */
  #showNothingSent(files) {
    const reasons = [...new Set(files.filter(({ state }) => state === 'refused').map(({ path, problem }) => `${path}: ${problem}`))];
    this.#startAfresh();
    this.#trouble.show({ title: 'Nothing was sent', text: reasons.join(' ') || 'You left out all files.', field: null });
  }

  #keepAwake() {
    void this.#screenLock.hold(this.#delivery !== null && ['preparing', 'uploading', 'completing'].includes(this.#delivery.phase));
  }
}

const closing = document.getElementById('closing');
if (closing instanceof HTMLTimeElement) write(closing, describeClosing(new Date(closing.dateTime)));

// Signatures need WebCrypto, which browsers have on https and on localhost only.
if (!window.isSecureContext || !crypto.subtle) show(byId('insecure', HTMLElement), true);
else new UploadPage(await claimStorage(dropsite.link));
