import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { readOrCreateFile } from './data-directory.js';

export const DEMO_CLIENT_ID = 'demo';
const DEMO_EMAIL = 'demo@example.org';
const LOGIN_FILE = 'demo-login.json';

export interface DemoLogin {
  readonly email: string;
  readonly password: string;
}

/** What a first look finds: the login, and a link for uploading without one. */
export interface Demo extends DemoLogin {
  readonly dropsiteUrl: string;
}

/** Where the demo login is kept; `npm start` prints it, and this file shows it again. */
export const demoLoginFile = (dataDir: string): string => path.join(dataDir, LOGIN_FILE);

/** The login of the first look, with a random password that is made once. */
export async function readOrMakeDemoLogin(dataDir: string): Promise<DemoLogin> {
  const content = await readOrCreateFile(dataDir, LOGIN_FILE, () =>
    JSON.stringify({ email: DEMO_EMAIL, password: randomBytes(12).toString('base64url') }),
  );
  return JSON.parse(content) as DemoLogin;
}
