import { byId, lead, show, write } from './dom.js';

/** Tells what stands in the way: beside the field that it is about, or above everything. */
export class TroubleView {
  #root = byId('upload', HTMLElement);
  #trouble = byId('trouble', HTMLElement);

  /** @param {import('./explain-problem.js').Explanation} explanation */
  tell({ title, text, field }) {
    this.forget();
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

  forget() {
    show(this.#trouble, false);
    for (const problem of this.#root.querySelectorAll('.field-problem')) show(/** @type {HTMLElement} */ (problem), false);
    for (const input of this.#root.querySelectorAll('[aria-invalid]')) {
      input.removeAttribute('aria-invalid');
      input.removeAttribute('aria-describedby');
    }
  }
}
