import { byId, moveFocus, show, write } from './dom.js';

/** Shows a problem beside the form field that is concerned, or at the top of the page. */
export class TroubleView {
  #root = byId('upload', HTMLElement);
  #trouble = byId('trouble', HTMLElement);

  /** @param {import('./explain-problem.js').Explanation} explanation */
  show({ title, text, field }) {
    this.clear();
    const input = field && document.getElementById(field);
    if (field && input instanceof HTMLInputElement) {
      const problem = byId(`${field}-problem`, HTMLElement);
      write(problem, `${title}. ${text}`);
      show(problem, true);
      input.setAttribute('aria-invalid', 'true');
      input.setAttribute('aria-describedby', problem.id);
      moveFocus(input);
    } else {
      write(byId('trouble-title', HTMLElement), title);
      write(byId('trouble-text', HTMLElement), text);
      show(this.#trouble, true);
      moveFocus(this.#trouble);
    }
  }

  clear() {
    show(this.#trouble, false);
    for (const problem of this.#root.querySelectorAll('.field-problem')) show(/** @type {HTMLElement} */ (problem), false);
    for (const input of this.#root.querySelectorAll('[aria-invalid]')) {
      input.removeAttribute('aria-invalid');
      input.removeAttribute('aria-describedby');
    }
  }
}
