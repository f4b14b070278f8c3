/** Pause between two downloads; browsers drop the first of two simultaneous ones. */
const PAUSE_MS = 1_500;

const all = document.getElementById('all');
const button = document.getElementById('download-all');
const status = document.getElementById('all-status');
const links = [...document.querySelectorAll('a[download]')].filter((link) => link instanceof HTMLAnchorElement);

if (all && button instanceof HTMLButtonElement && status) {
  all.hidden = false;
  button.addEventListener('click', async () => {
    button.disabled = true;
    for (const [index, link] of links.entries()) {
      status.textContent = `${index + 1} of ${links.length} …`;
      link.click();
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
    status.textContent = 'All downloads have been started. If your browser blocks some of them, allow multiple downloads and try again.';
    button.disabled = false;
  });
}

export {};
