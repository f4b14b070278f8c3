// A page that opens this window under the pointer may hope for a second click: the buttons count only after a moment.
const DELAY_MS = 700;
const buttons = document.querySelectorAll('form button');
for (const button of buttons) button.disabled = true;
setTimeout(() => {
  for (const button of buttons) button.disabled = false;
}, DELAY_MS);
