import '@mantine/core/styles.css';
import '@mantine/notifications/styles.css';
import './console.css';
import { session } from './session';

/** `PUBLIC_URL` of the service, which writes it into the page. */
const publicUrl = document.querySelector<HTMLMetaElement>('meta[name=public-url]')?.content ?? location.origin;

/** Shows the console when the session has started. Both take requests, so neither waits for the other. */
async function start(): Promise<void> {
  const started = session();
  started.catch(() => {}); // shown below, when the script that shows it has been loaded
  const { show, showFailure } = await import('./console');
  try {
    await started; // the router reads the address, which has the response of the sign-in until then
  } catch (error) {
    showFailure(error);
    return;
  }
  show();
}

// People sign in at the public address, so the console works at no other: http://127.0.0.1 leads to http://localhost.
if (new URL(publicUrl).origin === location.origin) await start();
else location.replace(new URL(location.pathname + location.search + location.hash, publicUrl));
