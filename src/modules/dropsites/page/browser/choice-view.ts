import type { UploadFile } from '@media-delivery/sdk/uploader';
import type { Choice } from './choice.js';
import { byId, show, write } from './dom.js';
import { type EarlierUpload, isMissing } from './earlier-upload.js';
import { deliveryStatus, type FileList, type Status, statusOf } from './file-list.js';
import type { FilePicker } from './file-picker.js';
import { countFiles, formatBytes, sizeOf } from './format.js';

/** Shows the chosen files, an incomplete upload of an earlier visit, and the button that sends the files. */
export class ChoiceView {
  #form = byId('form', HTMLFormElement);
  #sender = byId('sender', HTMLElement);
  #send = byId('send', HTMLButtonElement);
  #note = byId('note', HTMLElement);
  #earlier = byId('earlier', HTMLElement);
  #earlierText = byId('earlier-text', HTMLElement);
  #picker;
  #list;

  constructor({ picker, list }: { picker: FilePicker; list: FileList }) {
    this.#picker = picker;
    this.#list = list;
  }

  render({ files, good, totalSize }: Choice, earlier: EarlierUpload | null): void {
    const all = [...(earlier?.files ?? []), ...files];
    this.#picker.render({ isSmall: all.length > 0, isQuiet: all.length > 0 && earlier === null });
    this.#list.render(all, { status: (file) => choiceStatus(file, earlier), removable: (file) => files.includes(file) });
    show(this.#form, all.length > 0);
    show(this.#sender, earlier === null);
    show(this.#earlier, earlier !== null);
    if (earlier) return this.#renderEarlier(earlier, good.length);
    this.#renderSend(good.length === 0 ? 'Upload' : `Upload ${countFiles(good.length)}, ${formatBytes(totalSize)}`, true);
  }

  /** Shows a text about the files that were chosen last. */
  remark(text: string): void {
    write(this.#note, text);
    show(this.#note, text !== '');
  }

  hide(): void {
    for (const part of [this.#form, this.#note, this.#earlier]) show(part, false);
    this.#picker.hide();
  }

  /** `added`: the number of files that are new to the earlier upload. */
  #renderEarlier(earlier: EarlierUpload, added: number): void {
    write(this.#earlierText, describeEarlier(earlier));
    const open = earlier.files.filter(({ isOpen }) => isOpen).length;
    const missing = earlier.missing.length;
    const has = open - missing + added;
    if (has > 0) return this.#renderSend(missing === 0 ? 'Resume the upload' : `Continue without ${countFiles(missing)}`, true);
    this.#renderSend(open === 0 ? 'Finish the upload' : 'Choose the files first', open === 0);
  }

  #renderSend(label: string, isReady: boolean): void {
    this.#send.disabled = !isReady;
    write(this.#send, label);
  }
}

function describeEarlier({ files, missing, startedAt }: EarlierUpload): string {
  const open = files.filter(({ isOpen }) => isOpen);
  const arrived = files.filter(({ state }) => state === 'delivered').length;
  const when = new Date(startedAt).toLocaleString('en-GB', { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' });
  if (open.length === 0)
    return `On ${when} you sent ${countFiles(files.length)}, and all have arrived. You only have to finish the upload.`;
  const sentences = [
    `On ${when} you started to send ${countFiles(files.length)}, but the upload was not completed.`,
    ...(arrived === 0 ? [] : [`${arrived.toLocaleString('en')} of them arrived.`]),
    `${formatBytes(sizeOf(open))} still has to be sent.`,
    missing.length === 0 ? 'All files are available again.' : 'Choose the same files again to continue where the upload stopped.',
  ];
  return sentences.join(' ');
}

/** The status of a file before the upload. */
function choiceStatus(file: UploadFile, earlier: EarlierUpload | null): Status {
  if (!earlier?.files.includes(file)) {
    if (file.state === 'refused') return statusOf(`Will not be sent. ${file.problem}`, 'bad');
    return statusOf(earlier ? 'New' : '');
  }
  if (file.state === 'left-out') return statusOf(file.problem || 'Left out');
  if (!file.isOpen) return deliveryStatus(file);
  return isMissing(file) ? statusOf('Choose it again') : statusOf('Found', 'good');
}
