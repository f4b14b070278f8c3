// The upload page of a dropsite: connects the parts, each of which has its own file.
import { ServerClock, StorageClient, type UploadFile } from '@media-delivery/sdk/uploader';
import { Choice, likeness, type Remark, remarkOnFound, remarkOnNew } from './choice.js';
import { ChoiceView } from './choice-view.js';
import { Checksums, Delivery } from './delivery.js';
import { DeliveryView } from './delivery-view.js';
import { Announcer, byId, moveFocus, show, write } from './dom.js';
import { dropsite, readForm, whyNotYet } from './dropsite.js';
import { EarlierUpload } from './earlier-upload.js';
import { FileList } from './file-list.js';
import { FilePicker, type Picked } from './file-picker.js';
import { countFiles, describeClosing } from './format.js';
import { PreviewWatch } from './preview-watch.js';
import { explainProblem, ProblemView } from './problems.js';
import { claimStorage, ResumeStore } from './resume-store.js';
import { ServiceClient } from './service-client.js';

/** Interval between updates of the figures, as often as people can read them. */
const RENDER_MS = 250;

class UploadPage {
  #clock = new ServerClock();
  #service = new ServiceClient(dropsite.link, this.#clock);
  #storage = new StorageClient(this.#clock);
  #checksums = new Checksums();
  #choice = new Choice(dropsite.allowedTypes);
  /** Files that were delivered since the page was opened, because the service does not list them. */
  #sentBefore = new Set<string>();
  #store;
  #earlier: EarlierUpload | null = null;
  #delivery: Delivery | null = null;
  #scheduled: ReturnType<typeof setTimeout> | null = null;

  #picker = new FilePicker({ take: (picked) => this.#take(picked), isOpen: () => this.#delivery === null });
  #screenLock = new ScreenLock();
  #problem = new ProblemView();
  #announcer = new Announcer();
  #list = new FileList((file) => this.#remove(file));
  #choiceView = new ChoiceView({ picker: this.#picker, list: this.#list });
  #deliveryView = new DeliveryView(
    { announcer: this.#announcer, list: this.#list, problem: this.#problem },
    {
      delivery: () => this.#delivery,
      cancel: () => this.#cancel(),
      skipChecksums: () => this.#skipChecksums(),
      more: () => this.#startAfresh(),
    },
  );
  #previews: PreviewWatch = new PreviewWatch(this.#service, () => this.#deliveryView.renderPreviews(this.#delivery, this.#previews));

  /** `storage`: null if another tab sends to this dropsite, or the browser keeps nothing. */
  constructor(storage: Storage | null) {
    this.#store = new ResumeStore(dropsite.link, storage);
    const remembered = this.#store.load();
    if (remembered) this.#earlier = new EarlierUpload(remembered, this.#store);
    this.#listen();
    this.#render();
    show(byId('upload', HTMLElement), true);
  }

  #listen(): void {
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
  get #isBusy(): boolean {
    return this.#delivery !== null && !['delivered', 'nothing'].includes(this.#delivery.phase);
  }

  #take(picked: readonly Picked[]): void {
    if (picked.length === 0) return;
    this.#problem.clear();
    const said = this.#earlier ? this.#takeForEarlier(this.#earlier, picked) : this.#takeNew(picked);
    this.#choiceView.remark(said.lasting);
    this.#announcer.say(`${said.text} ${said.lasting}`);
    this.#render();
  }

  #takeNew(picked: readonly Picked[]): Remark {
    const added = this.#choice.add(picked);
    const refused = this.#choice.files.length - this.#choice.good.length;
    return remarkOnNew({ added, known: picked.length - added, refused });
  }

  #takeForEarlier(earlier: EarlierUpload, picked: readonly Picked[]): Remark {
    const taken = earlier.take(picked);
    this.#choice.add([...taken.changed, ...taken.others]);
    return remarkOnFound(taken);
  }

  #remove(file: UploadFile): void {
    const index = this.#choice.files.indexOf(file);
    this.#choice.remove(file);
    this.#announcer.say(`${file.path} removed.`);
    this.#render();
    if (!this.#list.focusRow(index)) this.#picker.focus();
  }

  #submit(): void {
    const entered = readForm();
    const sender = this.#earlier ? this.#earlier.sender : entered.sender;
    const problem = whyNotYet({ choice: this.#choice, entered, isResumed: this.#earlier !== null, sender });
    if (problem) return this.#problem.show(problem);
    this.#problem.clear();
    this.#earlier?.leaveOutMissing();
    const { batches = [], startedAt } = this.#earlier ?? {};
    const surroundings = {
      service: this.#service,
      storage: this.#storage,
      clock: this.#clock,
      store: this.#store,
      checksums: this.#checksums,
      onChange: () => this.#schedule(),
    };
    for (const file of this.#choice.good) if (this.#sentBefore.has(likeness(file))) file.duplicate = 'You have sent this file before.';
    this.#delivery = new Delivery(surroundings, { sender, password: entered.password, startedAt });
    void this.#delivery.start(batches, this.#choice.good);
    this.#keepAwake();
    this.#render();
    moveFocus(this.#deliveryView.title);
  }

  #cancel(): void {
    const { delivered = 0 } = this.#delivery?.amounts ?? {};
    const stays = delivered > 0 ? ` ${countFiles(delivered)} already delivered will remain.` : '';
    if (!confirm(`Stop and discard this upload?${stays}`)) return;
    void this.#delivery?.giveUp();
    this.#startAfresh();
    this.#announcer.say('The upload was stopped.');
  }

  #discardEarlier(): void {
    if (!confirm('Discard the earlier upload and start a new one?')) return;
    this.#store.clear();
    this.#startAfresh();
  }

  #startAfresh(): void {
    this.#earlier = null;
    this.#delivery = null;
    this.#previews.stop();
    this.#checksums.skip();
    this.#checksums = new Checksums();
    this.#choice.clear();
    this.#choiceView.remark('');
    this.#problem.clear();
    this.#keepAwake();
    this.#render();
    this.#picker.focus();
  }

  #skipChecksums(): void {
    this.#checksums.skip();
    this.#render();
    moveFocus(byId('receipt-title', HTMLHeadingElement));
  }

  #schedule(): void {
    this.#scheduled ??= setTimeout(() => {
      this.#scheduled = null;
      this.#render();
    }, RENDER_MS);
  }

  #render(): void {
    if (this.#delivery) return this.#renderDelivery(this.#delivery);
    this.#deliveryView.hide();
    this.#choiceView.render(this.#choice, this.#earlier);
  }

  #renderDelivery(delivery: Delivery): void {
    const { phase, problem } = delivery;
    if (phase === 'stopped' && problem && !delivery.hasStarted) return this.#backToChoice(problem);
    this.#choiceView.hide();
    if (this.#deliveryView.render(delivery, this.#checksums.pending)) this.#enter(delivery);
    if (phase === 'uploading' || phase === 'paused' || delivery.connection.isLost) this.#schedule(); // updates speed and remaining time
  }

  #backToChoice(problem: Error): void {
    this.#delivery = null;
    this.#keepAwake();
    this.#render();
    this.#problem.show(explainProblem(problem));
  }

  #enter({ phase, files, batches }: Delivery): void {
    this.#keepAwake();
    if (phase === 'nothing') return this.#showNothingSent(files);
    if (phase !== 'delivered') return;
    for (const file of files) if (file.state === 'delivered') this.#sentBefore.add(likeness(file));
    this.#previews.start(batches.map(({ uploadId }) => uploadId));
  }

  #showNothingSent(files: readonly UploadFile[]): void {
    const reasons = new Set(files.filter(({ state }) => state === 'refused').map(({ path, problem }) => `${path}: ${problem}`));
    this.#startAfresh();
    this.#problem.show({ title: 'Nothing was sent', text: [...reasons].join(' ') || 'You left out all files.', field: null });
  }

  #keepAwake(): void {
    void this.#screenLock.hold(this.#delivery !== null && ['preparing', 'uploading', 'completing'].includes(this.#delivery.phase));
  }
}

/** Keeps the screen on, because a phone that goes to sleep stops the upload. */
class ScreenLock {
  #held: WakeLockSentinel | null = null;

  async hold(isNeeded: boolean): Promise<void> {
    if (!isNeeded) {
      const held = this.#held;
      this.#held = null;
      await held?.release();
    } else if (document.visibilityState === 'visible' && (this.#held === null || this.#held.released)) {
      // Browsers refuse it when the battery is low; the upload then continues without it.
      this.#held = (await navigator.wakeLock?.request('screen').catch(() => null)) ?? null;
    }
  }
}

const closing = document.getElementById('closing');
if (closing instanceof HTMLTimeElement) write(closing, describeClosing(new Date(closing.dateTime)));

// Signatures need WebCrypto, which browsers have on https and on localhost only.
if (!window.isSecureContext || !crypto.subtle) show(byId('insecure', HTMLElement), true);
else new UploadPage(await claimStorage(dropsite.link));
