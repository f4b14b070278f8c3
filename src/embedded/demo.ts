import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { INestApplicationContext } from '@nestjs/common';
import { AccountsService } from '../modules/accounts/index.js';
import { ClientsService } from '../modules/oauth/index.js';
import type { Config } from '../shared/config/index.js';
import { Database } from '../shared/database/index.js';

export const DEMO_CLIENT_ID = 'demo';
const DEMO_CUSTOMER = 'Demo';
const DEMO_EMAIL = 'demo@example.org';

export interface DemoLogin {
  readonly email: string;
  readonly password: string;
}

/** Where the demo login is kept; `npm start` prints it, and this file shows it again. */
export const demoLoginFile = (dataDir: string): string => path.join(dataDir, 'demo-login.json');

/**
 * Makes what a first look needs: a customer, a user with a random password (made once), and the client of the Swagger UI. Only with the
 * embedded database.
 */
export async function declareDemo(app: INestApplicationContext, config: Config): Promise<DemoLogin> {
  const login = readOrMakeLogin(config.dataDir);
  await app.get(Database).transaction(async () => {
    const accounts = app.get(AccountsService);
    await accounts.declareCustomer({ name: DEMO_CUSTOMER });
    if (!(await accounts.findByEmail(login.email))) {
      await accounts.declareUser({ ...login, customer: DEMO_CUSTOMER, firstname: 'Demo', lastname: 'User', adminLevel: 10 });
    }
    await app.get(ClientsService).declare({
      clientId: DEMO_CLIENT_ID,
      name: 'API documentation',
      type: 'web',
      redirectUris: [`${config.publicUrl}/docs/oauth2-redirect.html`, 'http://localhost:8080/callback', 'http://127.0.0.1:8080/callback'],
    });
  });
  return login;
}

function readOrMakeLogin(dataDir: string): DemoLogin {
  const file = demoLoginFile(dataDir);
  if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8')) as DemoLogin;
  const login = { email: DEMO_EMAIL, password: randomBytes(12).toString('base64url') };
  writeFileSync(file, `${JSON.stringify(login)}\n`, { mode: 0o600 });
  return login;
}
