/** How far an arrow key seeks; as far as players usually do. */
const SEEK_SECONDS = 10;

/** Elements for which every key has a meaning of its own. */
const TAKES_ALL_KEYS = 'input, textarea, select, [role="menu"], media-time-range, media-volume-range, video[controls], audio, dialog';
/** Elements that Space or an arrow key operates; letters have no meaning there. */
const TAKES_SPACE = 'a, button, summary, [role="button"]';
const LETTERS = /^[a-z?]$/i;

/** Plays, seeks and mutes the media of the page by keyboard, as the list of keys in the page says; `?` shows that list. */
export function controlByKeys(): void {
  document.addEventListener('keydown', (event) => {
    const media = document.getElementById('media');
    if (!(media instanceof HTMLMediaElement) || event.ctrlKey || event.metaKey || event.altKey || isForControl(event)) return;
    const act = ACTIONS[event.key.toLowerCase()];
    if (!act) return;
    event.preventDefault(); // Space and the arrows would scroll
    act(media);
  });
}

function isForControl({ key, target }: KeyboardEvent): boolean {
  if (!(target instanceof Element)) return false;
  return target.closest(TAKES_ALL_KEYS) !== null || (!LETTERS.test(key) && target.closest(TAKES_SPACE) !== null);
}

type Action = (media: HTMLMediaElement) => void;

const togglePlay: Action = (media) => {
  if (media.paused)
    void media.play().catch(() => {}); // the player itself says why it cannot play
  else media.pause();
};

const seekBy =
  (seconds: number): Action =>
  (media) => {
    if (Number.isFinite(media.duration)) media.currentTime = Math.min(media.duration, Math.max(0, media.currentTime + seconds));
  };

const ACTIONS: Readonly<Record<string, Action>> = {
  ' ': togglePlay,
  k: togglePlay,
  arrowleft: seekBy(-SEEK_SECONDS),
  arrowright: seekBy(SEEK_SECONDS),
  m: (media) => {
    media.muted = !media.muted;
  },
  f: (media) => {
    if (!(media instanceof HTMLVideoElement)) return;
    const request = document.fullscreenElement ? document.exitFullscreen() : document.getElementById('player')?.requestFullscreen?.();
    void request?.catch(() => {}); // the page around a frame may not allow it
  },
  c: () => {
    const request = new CustomEvent('mediatogglesubtitlesrequest', { bubbles: true, composed: true });
    document.getElementById('controls')?.dispatchEvent(request);
  },
  '?': () => {
    const list = document.getElementById('keys');
    if (list instanceof HTMLDialogElement && !list.open) list.showModal();
  },
};
