/** Buttons that print recovery codes, or save them as a file; without scripts people copy them. */
const list = document.querySelector<HTMLElement>('[data-codes]');
const buttons = document.querySelectorAll<HTMLButtonElement>('button[data-action]');

function save(): void {
  const codes = [...(list?.querySelectorAll('code') ?? [])].map(({ textContent }) => textContent);
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([`${codes.join('\r\n')}\r\n`], { type: 'text/plain' }));
  link.download = list?.dataset.codes ?? '';
  link.click();
  URL.revokeObjectURL(link.href);
}

for (const button of buttons) {
  button.hidden = false;
  button.addEventListener('click', () => (button.dataset.action === 'print' ? window.print() : save()));
}
