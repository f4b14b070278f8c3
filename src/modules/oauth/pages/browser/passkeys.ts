/**
 * Forms with `data-passkey` send what a passkey signed. `data-passkey` is `get` or `create`, `data-options` the options of the server as JSON.
 * With `data-conditional` the browser also offers passkeys in the e-mail field (conditional mediation, WebAuthn level 3 section 5.1.4).
 */
type Kind = 'get' | 'create';

const WORDS_OF_ERRORS: Readonly<Record<string, string>> = { NotAllowedError: 'cancelled', InvalidStateError: 'exists' };

const isSupported =
  'PublicKeyCredential' in window &&
  'parseRequestOptionsFromJSON' in PublicKeyCredential &&
  'parseCreationOptionsFromJSON' in PublicKeyCredential;

/** A frame of another site may not use passkeys without the permission of the page around it. */
const isInFrame = window.top !== window;

let waiting: AbortController | null = null;

async function ask(form: HTMLFormElement, mediation: CredentialMediationRequirement): Promise<Credential | null> {
  waiting?.abort();
  waiting = new AbortController();
  const { signal } = waiting;
  const options = JSON.parse(form.dataset.options ?? '{}');
  if ((form.dataset.passkey as Kind) === 'create') {
    return await navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options), signal });
  }
  return await navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options), mediation, signal });
}

function send(form: HTMLFormElement, credential: Credential): void {
  const field = (name: string) => form.elements.namedItem(name) as HTMLInputElement | null;
  const response = field('response');
  if (response) response.value = JSON.stringify((credential as PublicKeyCredential).toJSON());
  const [remember, box] = [field('remember'), document.querySelector<HTMLInputElement>('input[type="checkbox"][name="remember"]')];
  if (remember && box) remember.value = box.checked ? 'yes' : '';
  form.submit();
}

function explain(form: HTMLFormElement, error: unknown): void {
  const place = form.querySelector<HTMLElement>('[data-problems]');
  if (!place) return;
  const texts = JSON.parse(place.dataset.problems ?? '{}') as Record<string, string>;
  place.textContent = texts[WORDS_OF_ERRORS[(error as Error).name] ?? 'failed'] ?? '';
  place.hidden = false;
}

async function offerInField(form: HTMLFormElement): Promise<void> {
  if (!(await PublicKeyCredential.isConditionalMediationAvailable?.())) return;
  try {
    const credential = await ask(form, 'conditional');
    if (credential) send(form, credential);
  } catch {
    // The person signs in another way, or has pressed the button, which ends this request.
  }
}

function prepare(form: HTMLFormElement): void {
  form.hidden = false;
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    try {
      const credential = await ask(form, 'optional');
      if (credential) send(form, credential);
    } catch (error) {
      explain(form, error);
    }
  });
  if (form.dataset.conditional !== undefined) void offerInField(form);
}

if (isSupported && !isInFrame) for (const form of document.querySelectorAll<HTMLFormElement>('form[data-passkey]')) prepare(form);
