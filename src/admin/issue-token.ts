import type { INestApplicationContext } from '@nestjs/common';
import { DEMO_CLIENT_ID } from '../embedded/demo.js';
import { AccessTokenIssuerService, AuthorizationsService } from '../modules/access/index.js';
import { AccountsService, type User } from '../modules/accounts/index.js';
import { type Client, ClientsService, DEFAULT_SCOPE, knownScopes, SCOPES } from '../modules/oauth/index.js';
import { Clock } from '../shared/clock.js';
import { Config } from '../shared/config/index.js';
import { Database } from '../shared/database/index.js';
import { StartupError } from '../shared/errors.js';
import type { Call, Work } from './command.js';
import { Trail } from './trail.js';

/**
 * `admin token`: issues the access token that a sign-in with the password alone would at this moment, with an authorization that the user sees in /account
 * and can revoke there.
 */
export async function issueToken(call: Call): Promise<Work> {
  const { config, options } = call;
  if (config.nodeEnv === 'production') throw new StartupError('admin token is for development: in production users sign in themselves.');
  if (!options.user) throw new StartupError('Name the user: admin token --user EMAIL.');
  const [email, scope] = [options.user, readScope(options.scope)];
  return async (service) => {
    const user = await getEnabledUser(service, email);
    const client = await chooseClient(service.get(ClientsService), options.client);
    const access_token = await service.get(Database).transaction(async () => {
      await new Trail(service, call).record('token.issue', `user:${user.id}`, user.customerId);
      return await grantAccess(service, { user, client, scope });
    });
    call.inform(`For ${user.email} through the client "${client.clientId}", accepted by ${config.publicUrl} (PUBLIC_URL).`);
    return { access_token, token_type: 'bearer', expires_in: config.accessTokenTtlSeconds, scope };
  };
}

function readScope(given: string = DEFAULT_SCOPE): string {
  const names = given.split(' ').filter(Boolean);
  const known = knownScopes(names.join(' '));
  if (names.length === 0 || names.some((name) => !known.some((one) => one === name))) {
    throw new StartupError(`--scope must name scopes, separated by spaces: ${Object.keys(SCOPES).join(', ')}.`);
  }
  return known.join(' ');
}

async function getEnabledUser(service: INestApplicationContext, email: string): Promise<User> {
  const user = await service.get(AccountsService).getByEmail(email);
  if (user.disabledAt) throw new StartupError(`${user.email} is disabled: tokens would be refused. See admin users enable.`);
  return user;
}

/** Without a client id, only clients that need no consent qualify: the client of `npm start`, otherwise the operator's own client. */
async function chooseClient(clients: ClientsService, clientId: string | undefined): Promise<Client> {
  if (clientId !== undefined) return await clients.get(clientId);
  const client = (await clients.find(DEMO_CLIENT_ID)) ?? (await clients.findOldestFirstParty());
  if (client) return client;
  throw new StartupError('There is no first-party client: name one with --client ID, or declare one (admin apply, firstParty: true).');
}

async function grantAccess(service: INestApplicationContext, access: { user: User; client: Client; scope: string }): Promise<string> {
  const { client, scope, user } = access;
  const key = { userId: user.id, clientId: client.clientId };
  const audience = service.get(Config).publicUrl;
  const authentication = { amr: ['pwd'], authTime: Math.floor(service.get(Clock).now().getTime() / 1_000) };
  const authorization = await service.get(AuthorizationsService).grant({ ...key, device: null, scope, resources: [audience] });
  return (await service.get(AccessTokenIssuerService).issue({ ...key, scope, authorization, authentication })).accessToken;
}
