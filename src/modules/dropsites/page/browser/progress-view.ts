import type { Delivery } from './delivery.js';
import { byId, show, write } from './dom.js';
import { countFiles, formatBytes, formatDuration, percentOf } from './format.js';

type Button = 'pause' | 'resume' | 'retry' | 'finish' | 'cancel' | 'tryNow';

/** Shows the progress of the whole delivery, with its figures and buttons. */
export class ProgressView {
  readonly title = byId('progress-title', HTMLHeadingElement);
  #section = byId('progress', HTMLElement);
  #bar = byId('overall', HTMLProgressElement);
  #percent = byId('percent', HTMLElement);
  #figures = byId('figures', HTMLElement);
  #line = byId('line', HTMLElement);
  #lineText = byId('line-text', HTMLElement);
  #keepOpen = byId('keep-open', HTMLElement);
  #buttons: Readonly<Record<Button, HTMLButtonElement>> = {
    pause: byId('pause', HTMLButtonElement),
    resume: byId('resume-upload', HTMLButtonElement),
    retry: byId('retry', HTMLButtonElement),
    finish: byId('finish-without', HTMLButtonElement),
    cancel: byId('cancel', HTMLButtonElement),
    tryNow: byId('try-now', HTMLButtonElement),
  };

  constructor(on: Readonly<Record<Button, () => void>>) {
    for (const name of Object.keys(this.#buttons) as Button[]) this.#buttons[name].addEventListener('click', on[name]);
  }

  hide(): void {
    show(this.#section, false);
  }

  render(delivery: Delivery): void {
    const { phase, amounts } = delivery;
    const percent = percentOf(amounts.sent, amounts.total);
    show(this.#section, true);
    this.#section.dataset.phase = phase;
    write(this.title, titleOf(delivery));
    this.#bar.value = phase === 'completing' ? 100 : percent;
    write(this.#percent, `${percent}\u00a0%`);
    write(this.#figures, figuresOf(delivery));
    this.#renderLine(delivery);
    const { pause, resume, retry, finish, cancel } = this.#buttons;
    show(pause, phase === 'uploading');
    show(resume, phase === 'paused');
    show(retry, phase === 'stuck' || phase === 'stopped');
    show(finish, phase === 'stuck' && amounts.delivered > 0);
    show(cancel, phase !== 'completing');
    show(this.#keepOpen, ['uploading', 'paused', 'completing'].includes(phase));
    write(finish, countFailed(delivery) === 1 ? 'Finish without it' : 'Finish without them');
  }

  #renderLine({ connection, phase }: Delivery): void {
    const isLost = connection.isLost && phase !== 'paused' && phase !== 'stopped';
    show(this.#line, isLost);
    if (!isLost) return;
    const seconds = connection.retryAt === null ? 0 : Math.ceil((connection.retryAt - Date.now()) / 1_000);
    const what = connection.reason === 'line' ? 'No connection.' : 'The service is busy.';
    write(this.#lineText, seconds > 0 ? `${what} Next attempt in ${seconds}\u00a0s; nothing is lost.` : `${what} Trying again…`);
  }
}

const countFailed = ({ files }: Delivery): number => files.filter(({ state }) => state === 'failed').length;

function titleOf(delivery: Delivery): string {
  switch (delivery.phase) {
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
      return `Uploading ${countFiles(delivery.amounts.files)}`;
  }
}

function figuresOf({ phase, amounts: { sent, total, files, delivered }, meter, connection }: Delivery): string {
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
