const CONFIRMATION_MS = 2_000;

/** Shows a button that copies the HTML for other pages; without it viewers can select the text. */
export function offerCopy(): void {
  const [button, snippet] = [document.getElementById('copy'), document.getElementById('snippet')];
  if (!(button instanceof HTMLButtonElement) || !(snippet instanceof HTMLTextAreaElement)) return;
  const words = button.textContent;
  button.hidden = false;
  snippet.addEventListener('focus', () => snippet.select());
  button.addEventListener('click', async () => {
    button.textContent = (await copy(snippet)) ? 'Copied' : 'Press Ctrl+C';
    setTimeout(() => {
      button.textContent = words;
    }, CONFIRMATION_MS);
  });
}

/** Copies the HTML. Some browsers do not let frames write to the clipboard; the older command works in more of them. */
async function copy(snippet: HTMLTextAreaElement): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(snippet.value);
    return true;
  } catch {
    snippet.select();
    return document.execCommand('copy');
  }
}
