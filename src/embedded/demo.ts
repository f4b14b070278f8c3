import { randomBytes } from 'node:crypto';
import path from 'node:path';
import type { ServiceClientId } from '../modules/oauth/index.js';
import { readOrCreateFile } from './data-directory.js';

export const DEMO_CLIENT_ID = 'demo' satisfies ServiceClientId;
/** Where the examples of the documents receive their authorization codes. */
export const DEMO_REDIRECT_URI = 'http://localhost:8080/callback';
export const DEMO_EMAIL = 'demo@example.org';
/** The name of the demo dropsite. */
export const DEMO_DROPSITE = 'Demo dropsite';
const LOGIN_FILE = 'demo-login.json';

export interface DemoLogin {
  readonly email: string;
  readonly password: string;
}

/** The demo login, and a link for uploading without a login. */
export interface Demo extends DemoLogin {
  readonly dropsiteUrl: string;
}

/** The file with the demo login; `npm start` prints the login too. */
export const demoLoginFile = (dataDir: string): string => path.join(dataDir, LOGIN_FILE);

/** Returns the demo login; its random password is created once. */
export async function readOrMakeDemoLogin(dataDir: string): Promise<DemoLogin> {
  const content = await readOrCreateFile(dataDir, LOGIN_FILE, () =>
    JSON.stringify({ email: DEMO_EMAIL, password: randomBytes(12).toString('base64url') }),
  );
  return JSON.parse(content) as DemoLogin;
}
