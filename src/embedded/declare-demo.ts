import type { INestApplicationContext } from '@nestjs/common';
import { AccountsService } from '../modules/accounts/index.js';
import { DropsitesService } from '../modules/dropsites/index.js';
import { ClientsService } from '../modules/oauth/index.js';
import type { Config } from '../shared/config/index.js';
import { Database } from '../shared/database/index.js';
import { DEMO_CLIENT_ID, DEMO_DROPSITE, DEMO_REDIRECT_URI, type Demo, readOrMakeDemoLogin } from './demo.js';

const CUSTOMER = 'Demo';

/**
 * Creates the demo data: a customer, a user with a random password, a dropsite of that user, and the client of the Swagger UI. Only with
 * the embedded database. Runs at every start, so that the printed login works.
 */
export async function declareDemo(app: INestApplicationContext, config: Config): Promise<Demo> {
  const login = await readOrMakeDemoLogin(config.dataDir);
  const database = app.get(Database);
  const { link } = await database.transaction(async () => {
    await database.lock('demo'); // two services may start at the same moment
    const accounts = app.get(AccountsService);
    await accounts.declareCustomer({ name: CUSTOMER }); // its users may have renamed it
    const user = await accounts.declareUser({ ...login, customer: CUSTOMER, firstname: 'Demo', lastname: 'User', adminLevel: 10 });
    await app.get(ClientsService).declareOwn({
      clientId: DEMO_CLIENT_ID,
      name: 'API documentation',
      type: 'web',
      redirectUris: [`${config.publicUrl}/docs/oauth2-redirect.html`, DEMO_REDIRECT_URI, 'http://127.0.0.1:8080/callback'],
    });
    return await app.get(DropsitesService).declare({ name: DEMO_DROPSITE, ownerId: user.id, customerId: user.customerId });
  });
  return { ...login, dropsiteUrl: `${config.publicUrl}/d/${link}` };
}
