// The upload page of a dropsite. This file wires the parts together; each part stands in a file of its own.
import { Announcer } from './announcer.js';
import { Checksums } from './checksums.js';
import { Choice, likeness } from './choice.js';
import { filesOfDrop, filesOfInput } from './collect-files.js';
import { Delivery } from './delivery.js';
import { byId, lead, show, write } from './dom.js';
import { DuplicatesView } from './duplicates-view.js';
import { EarlierUpload, isMissing } from './earlier-upload.js';
import { ServiceProblem } from './errors.js';
import { explainProblem } from './explain-problem.js';
import { deliveryStatus, FileList } from './file-list.js';
import { countFiles, formatBytes, percentOf } from './format.js';
import { PreviewWatch } from './preview-watch.js';
import { ProgressView } from './progress-view.js';
import { ReceiptView } from './receipt-view.js';
import { ResumeStore } from './resume-store.js';
import { ServerClock } from './server-clock.js';
import { ServiceClient } from './service-client.js';
import { StorageClient } from './storage-client.js';

/** How often the figures are written: as quick as anybody can read. */
const RENDER_MS = 250;
/** How long another tab with the same dropsite is waited for. After a reload the page before needs a moment to let go. */
const LOCK_MS = 1_000;

/** @typedef {import('./upload-file.js').UploadFile} UploadFile */
/** @typedef {import('./upload-file.js').Picked} Picked */

/** What the template says of the dropsite. */
const root = byId('upload', HTMLElement);
const dropsite = {
  link: root.dataset.link ?? '',
  name: root.dataset.name ?? '',
  allowAnonymous: root.dataset.allowAnonymous === 'true',
  allowedTypes: (root.dataset.allowedTypes ?? '').split(' ').filter(Boolean),
  maxItems: Number(root.dataset.maxItems || Number.POSITIVE_INFINITY),
  maxBytes: Number(root.dataset.maxBytes || Number.POSITIVE_INFINITY),
};

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
  /** @type {WakeLockSentinel | null} */
  #wakeLock = null;
  #pageTitle = document.title;
  #isMakingPreviews = false;

  #form = byId('form', HTMLFormElement);
  #drop = byId('drop', HTMLElement);
  #input = byId('pick-files', HTMLInputElement);
  #folderButton = byId('choose-folder', HTMLButtonElement);
  #send = byId('send', HTMLButtonElement);
  #note = byId('note', HTMLElement);
  #trouble = byId('trouble', HTMLElement);
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
    byId('choose-files', HTMLButtonElement).addEventListener('click', () => this.#input.click());
    this.#input.addEventListener('change', () => this.#pickFrom(this.#input));
    this.#folderButton.addEventListener('click', () => this.#chooseFolder());
    show(this.#folderButton, 'webkitdirectory' in this.#input && !matchMedia('(pointer: coarse)').matches);
    byId('discard', HTMLButtonElement).addEventListener('click', () => this.#discardEarlier());
    this.#form.addEventListener('submit', (event) => {
      event.preventDefault();
      this.#submit();
    });
    // All over the page: a file that misses the target would otherwise be opened in its place.
    for (const name of ['dragenter', 'dragover']) document.addEventListener(name, (event) => this.#drag(/** @type {DragEvent} */ (event)));
    document.addEventListener('dragleave', (event) => event.relatedTarget === null && this.#drop.classList.remove('over'));
    document.addEventListener('drop', (event) => void this.#dropped(event));
    window.addEventListener('online', () => this.#delivery?.connection.tryNow());
    window.addEventListener('beforeunload', (event) => this.#isBusy && event.preventDefault());
    document.addEventListener('visibilitychange', () => void this.#keepAwake());
  }

  /** Whether leaving the page would interrupt something. */
  get #isBusy() {
    return this.#delivery !== null && !['delivered', 'nothing'].includes(this.#delivery.phase);
  }

  /** @param {DragEvent} event */
  #drag(event) {
    if (!event.dataTransfer?.types.includes('Files')) return;
    event.preventDefault();
    event.dataTransfer.dropEffect = this.#delivery ? 'none' : 'copy';
    if (!this.#delivery) this.#drop.classList.add('over');
  }

  /** @param {DragEvent} event */
  async #dropped(event) {
    if (!event.dataTransfer?.types.includes('Files')) return;
    event.preventDefault();
    this.#drop.classList.remove('over');
    if (!this.#delivery) this.#take(await filesOfDrop(event.dataTransfer));
  }

  #chooseFolder() {
    const input = document.createElement('input');
    input.type = 'file';
    input.webkitdirectory = true;
    input.addEventListener('change', () => this.#pickFrom(input));
    input.click();
  }

  /** @param {HTMLInputElement} input */
  #pickFrom(input) {
    const picked = filesOfInput(input);
    input.value = ''; // the same files can be chosen again
    this.#take(picked);
  }

  /** @param {Picked[]} picked */
  #take(picked) {
    if (picked.length === 0) return;
    this.#forgetTrouble();
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
    if (!this.#list.focusRow(index)) byId('choose-files', HTMLButtonElement).focus();
  }

  #submit() {
    const password = this.#field('password');
    const sender = this.#earlier ? this.#earlier.sender : this.#readSender();
    const problem = this.#problemBefore(sender);
    if (problem) return this.#tell(problem);
    this.#forgetTrouble();
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
    void this.#keepAwake();
    this.#render();
    lead(this.#progress.title);
  }

  /**
   * @param {import('./service-client.js').Sender | null} sender
   * @returns {import('./explain-problem.js').Explanation | null}
   */
  #problemBefore(sender) {
    const { good, totalSize } = this.#choice;
    if (!this.#earlier && good.length === 0) return { title: 'No files yet', text: 'Choose the files that you want to send.', field: null };
    if (!dropsite.allowAnonymous && !sender?.email)
      return explainProblem(new ServiceProblem({ status: 401, code: 'session_required', message: '' }));
    const email = document.getElementById('email');
    if (email instanceof HTMLInputElement && !this.#earlier && !email.checkValidity()) {
      return { title: 'Check your e-mail address', text: 'It should look like name@example.org.', field: 'email' };
    }
    if (root.dataset.requiresPassword === 'true' && !this.#field('password')) {
      return explainProblem(new ServiceProblem({ status: 401, code: 'password_required', message: '' }));
    }
    if (good.length > dropsite.maxItems) {
      const text = `It takes at most ${countFiles(dropsite.maxItems)} a day, and you chose ${good.length}. Remove some of them.`;
      return { title: 'That is too much for this dropsite', text, field: null };
    }
    if (totalSize > dropsite.maxBytes) {
      const text = `It takes at most ${formatBytes(dropsite.maxBytes)} a day, and you chose ${formatBytes(totalSize)}. Remove some of them.`;
      return { title: 'That is too much for this dropsite', text, field: null };
    }
    return null;
  }

  #readSender() {
    const sender = { email: this.#field('email'), firstname: this.#field('firstname'), lastname: this.#field('lastname') };
    return Object.values(sender).some(Boolean) ? sender : null;
  }

  /** @param {string} id */
  #field(id) {
    const field = document.getElementById(id);
    if (!(field instanceof HTMLInputElement)) return '';
    return id === 'password' ? field.value : field.value.trim();
  }

  /** @param {import('./explain-problem.js').Explanation} explanation */
  #tell({ title, text, field }) {
    this.#forgetTrouble();
    const input = field && document.getElementById(field);
    if (field && input instanceof HTMLInputElement) {
      const problem = byId(`${field}-problem`, HTMLElement);
      write(problem, `${title}. ${text}`);
      show(problem, true);
      input.setAttribute('aria-invalid', 'true');
      input.setAttribute('aria-describedby', problem.id);
      lead(input);
    } else {
      write(byId('trouble-title', HTMLElement), title);
      write(byId('trouble-text', HTMLElement), text);
      show(this.#trouble, true);
      lead(this.#trouble);
    }
  }

  #forgetTrouble() {
    show(this.#trouble, false);
    for (const problem of root.querySelectorAll('.field-problem')) show(/** @type {HTMLElement} */ (problem), false);
    for (const input of root.querySelectorAll('[aria-invalid]')) {
      input.removeAttribute('aria-invalid');
      input.removeAttribute('aria-describedby');
    }
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
    this.#forgetTrouble();
    document.title = this.#pageTitle;
    void this.#keepAwake();
    this.#render();
    byId('choose-files', HTMLButtonElement).focus();
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
    show(this.#drop, true);
    this.#renderEarlier();
    const all = [...(this.#earlier?.files ?? []), ...files];
    this.#drop.classList.toggle('small', all.length > 0);
    this.#list.render(all, { status: (file) => this.#choiceStatus(file), removable: (file) => this.#choice.files.includes(file) });
    show(this.#form, all.length > 0);
    byId('choose-files', HTMLButtonElement).classList.toggle('quiet', all.length > 0 && this.#earlier === null);
    if (this.#earlier) return;
    this.#send.disabled = false;
    write(this.#send, good.length === 0 ? 'Upload' : `Upload ${countFiles(good.length)}, ${formatBytes(totalSize)}`);
  }

  #renderEarlier() {
    const earlier = this.#earlier;
    show(byId('earlier', HTMLElement), earlier !== null);
    show(byId('sender', HTMLElement), earlier === null);
    if (!earlier) return;
    const { files, missing, startedAt } = earlier;
    const open = files.filter(({ isOpen }) => isOpen);
    const arrived = files.filter(({ state }) => state === 'delivered').length;
    const size = formatBytes(open.reduce((sum, { size: bytes }) => sum + bytes, 0));
    const when = new Date(startedAt).toLocaleString('en-GB', { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' });
    write(
      byId('earlier-text', HTMLElement),
      earlierText({ when, size, files: files.length, arrived, open: open.length, missing: missing.length }),
    );
    const has = open.length - missing.length + this.#choice.good.length;
    this.#send.disabled = has === 0 && open.length > 0;
    write(this.#send, resumeLabel({ open: open.length, missing: missing.length, has }));
  }

  /** @param {UploadFile} file */
  #choiceStatus(file) {
    if (!this.#earlier?.files.includes(file)) {
      if (file.state === 'refused') return { text: `Will not be sent. ${file.problem}`, tone: /** @type {const} */ ('bad'), percent: null };
      return { text: this.#earlier ? 'New' : '', tone: /** @type {const} */ ('calm'), percent: null };
    }
    if (file.state === 'left-out') return { text: file.problem || 'Left out', tone: /** @type {const} */ ('calm'), percent: null };
    if (!file.isOpen) return deliveryStatus(file);
    if (isMissing(file)) return { text: 'Choose it again', tone: /** @type {const} */ ('calm'), percent: null };
    return { text: 'Found', tone: /** @type {const} */ ('good'), percent: null };
  }

  /** @param {Delivery} delivery */
  #renderDelivery(delivery) {
    const { phase, problem } = delivery;
    if (phase === 'stopped' && problem && !delivery.hasBegun) return this.#backToChoice(problem);
    for (const part of [this.#form, this.#drop, this.#note, byId('earlier', HTMLElement)]) show(part, false);
    if (phase === 'delivered' || phase === 'nothing') this.#renderEnd(delivery);
    else this.#renderRunning(delivery);
    if (phase !== this.#shownPhase) this.#enter(delivery);
    if (phase === 'uploading' || phase === 'paused' || delivery.connection.isLost) this.#schedule(); // speed and time go on
  }

  /** @param {Error} problem */
  #backToChoice(problem) {
    this.#delivery = null;
    this.#shownPhase = '';
    void this.#keepAwake();
    this.#render();
    this.#tell(explainProblem(problem));
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
    void this.#keepAwake();
    if (phase === 'deciding') this.#duplicates.ask(files.filter(({ duplicate, isOpen }) => duplicate && isOpen));
    if (phase === 'uploading' && before !== 'paused') {
      this.#forgetTrouble();
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
    if (phase === 'stopped' && problem) this.#tell(explainProblem(problem));
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
    this.#tell({ title: 'Nothing was sent', text: reasons.join(' ') || 'You left out every file.', field: null });
  }

  /** A phone that goes to sleep stops the upload. */
  async #keepAwake() {
    const isRunning = this.#delivery !== null && ['preparing', 'uploading', 'completing'].includes(this.#delivery.phase);
    if (!isRunning) {
      const lock = this.#wakeLock;
      this.#wakeLock = null;
      await lock?.release();
    } else if (document.visibilityState === 'visible' && (this.#wakeLock === null || this.#wakeLock.released)) {
      // It is refused when the battery is low; then it goes on without.
      this.#wakeLock = (await navigator.wakeLock?.request('screen').catch(() => null)) ?? null;
    }
  }
}

/** @param {{ when: string, size: string, files: number, arrived: number, open: number, missing: number }} upload */
function earlierText({ when, size, files, arrived, open, missing }) {
  if (open === 0) return `On ${when} you sent ${countFiles(files)}, and all have arrived. Only the end is missing.`;
  const sofar = arrived === 0 ? '' : ` ${arrived.toLocaleString('en')} of them arrived.`;
  const begun = `On ${when} you began to send ${countFiles(files)} and did not come to the end.${sofar} ${size} are missing.`;
  if (missing === 0) return `${begun} Everything is at hand again.`;
  return `${begun} Choose the same files again, and the upload goes on where it stopped.`;
}

/** @param {{ open: number, missing: number, has: number }} counts */
function resumeLabel({ open, missing, has }) {
  if (open === 0 && has === 0) return 'Finish the upload';
  if (has === 0) return 'Choose the files first';
  return missing === 0 ? 'Resume the upload' : `Go on without ${countFiles(missing)}`;
}

/**
 * @param {Delivery} delivery
 * @returns {import('./receipt.js').Receipt}
 */
function receiptOf({ files, batches, deliveredAt, sender }) {
  const delivered = files.filter(({ state }) => state === 'delivered');
  const name = [sender?.firstname, sender?.lastname].filter(Boolean).join(' ');
  return {
    deliveredTo: dropsite.name,
    address: `${location.origin}${location.pathname}`,
    deliveredAt: new Date(deliveredAt ?? Date.now()).toISOString(),
    references: batches.filter((batch) => batch.files.length > 0).map(({ uploadId }) => uploadId),
    sender: name || sender?.email || null,
    totalSize: delivered.reduce((sum, { size }) => sum + size, 0),
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

/**
 * The browser's storage, if this is the one tab that sends to the dropsite: two would overwrite what the other remembers. Null otherwise.
 * @returns {Promise<Storage | null>}
 */
async function claimStorage() {
  try {
    const { localStorage } = window; // throws where site data is blocked
    if (!navigator.locks) return localStorage;
    return await new Promise((resolve) => {
      navigator.locks
        .request(`upload:${dropsite.link}`, { signal: AbortSignal.timeout(LOCK_MS) }, () => {
          resolve(localStorage);
          return new Promise(() => {}); // kept until the page goes
        })
        .catch(() => resolve(null));
    });
  } catch {
    return null;
  }
}

// Signatures need WebCrypto, which browsers have on https and on localhost only.
if (!window.isSecureContext || !crypto.subtle) show(byId('insecure', HTMLElement), true);
else new UploadPage(await claimStorage());
