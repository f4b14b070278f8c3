import { byId, show, write } from './dom.js';
import { countFiles, formatBytes, formatDuration, percentOf } from './format.js';

/** @typedef {import('./delivery.js').Delivery} Delivery */

/** Shows the progress of the whole delivery, with its figures and buttons. */
export class ProgressView {
  #section = byId('progress', HTMLElement);
  #title = byId('progress-title', HTMLHeadingElement);
  #bar = byId('overall', HTMLProgressElement);
  #percent = byId('percent', HTMLElement);
  #figures = byId('figures', HTMLElement);
  #line = byId('line', HTMLElement);
  #keepOpen = byId('keep-open', HTMLElement);
  #lineText = byId('line-text', HTMLElement);
  #actions = {
    pause: byId('pause', HTMLButtonElement),
    resume: byId('resume-upload', HTMLButtonElement),
    retry: byId('retry', HTMLButtonElement),
    finish: byId('finish-without', HTMLButtonElement),
    cancel: byId('cancel', HTMLButtonElement),
  };

  /** @param {{ pause(): void, resume(): void, retry(): void, finish(): void, cancel(): void, tryNow(): void }} on */
  constructor(on) {
    const { pause, resume, retry, finish, cancel } = this.#actions;
    pause.addEventListener('click', on.pause);
    resume.addEventListener('click', on.resume);
    retry.addEventListener('click', on.retry);
    finish.addEventListener('click', on.finish);
    cancel.addEventListener('click', on.cancel);
    byId('try-now', HTMLButtonElement).addEventListener('click', on.tryNow);
  }

  get title() {
    return this.#title;
  }

  hide() {
    show(this.#section, false);
  }

  /** @param {Delivery} delivery */
  render(delivery) {
    const { phase, amounts } = delivery;
    const percent = percentOf(amounts.sent, amounts.total);
    show(this.#section, true);
    this.#section.dataset.phase = phase;
    write(this.#title, titleOf(delivery));
    this.#bar.value = phase === 'completing' ? 100 : percent;
    write(this.#percent, `${percent}\u00a0%`);
    write(this.#figures, figuresOf(delivery));
    this.#renderLine(delivery);
    const { pause, resume, retry, finish, cancel } = this.#actions;
    show(pause, phase === 'uploading');
    show(resume, phase === 'paused');
    show(retry, phase === 'stuck' || phase === 'stopped');
    show(finish, phase === 'stuck' && amounts.delivered > 0);
    show(cancel, phase !== 'completing');
    show(this.#keepOpen, ['uploading', 'paused', 'completing'].includes(phase));
    write(finish, countFailed(delivery) === 1 ? 'Finish without it' : 'Finish without them');
  }

  /** @param {Delivery} delivery */
  #renderLine({ connection, phase }) {
    const isLost = connection.isLost && phase !== 'paused' && phase !== 'stopped';
    show(this.#line, isLost);
    if (!isLost) return;
    const seconds = connection.retryAt === null ? 0 : Math.ceil((connection.retryAt - Date.now()) / 1_000);
    const what = connection.reason === 'line' ? 'No connection.' : 'The service is busy.';
    write(this.#lineText, seconds > 0 ? `${what} Next attempt in ${seconds}\u00a0s; nothing is lost.` : `${what} Trying again…`);
  }
}

/** @param {Delivery} delivery */
const countFailed = ({ files }) => files.filter(({ state }) => state === 'failed').length;

/** @param {Delivery} delivery */
function titleOf(delivery) {
  const { phase, amounts } = delivery;
  switch (phase) {
    case 'preparing':
      return 'Preparing';
    case 'paused':
      return 'Paused';
    case 'completing':
      return 'Finishing';
    case 'stuck':
      return `${countFiles(countFailed(delivery))} could not be uploaded`;
    case 'stopped':
      return 'Stopped';
    default:
      return `Uploading ${countFiles(amounts.files)}`;
  }
}

/** @param {Delivery} delivery */
function figuresOf({ phase, amounts: { sent, total, files, delivered }, meter, connection }) {
  const figures = [`${formatBytes(sent)} of ${formatBytes(total)}`];
  if (files > 1) figures.push(`${delivered.toLocaleString('en')} of ${files.toLocaleString('en')} files`);
  const { speed } = meter;
  if (phase === 'uploading' && !connection.isLost && speed) {
    const seconds = meter.secondsFor(total - sent);
    figures.push(`${formatBytes(Math.round(speed))}/s`);
    if (seconds !== null && sent < total) figures.push(`${formatDuration(seconds)} left`);
  }
  return figures.join(' · ');
}
