import { randomBytes } from 'node:crypto';
import { createInterface } from 'node:readline/promises';
import { type Readable, Writable } from 'node:stream';
import { AuthorizationsService } from '../modules/access/index.js';
import {
  AccessKeysService,
  AccountsService,
  CustomersService,
  FactorResetsService,
  PasswordLoginService,
  PasswordPolicyService,
  SecondFactorsService,
  UserChangesService,
  UserRemovalService,
} from '../modules/accounts/index.js';
import { SessionsService } from '../modules/oauth/index.js';
import { IdentityProvidersService } from '../modules/saml/index.js';
import { StartupError } from '../shared/errors.js';
import { type Call, readText, type Work } from './command.js';
import { inTransaction } from './trail.js';

/** Maximum number of a user's authorizations that are shown. */
const MAX_SHOWN = 1_000;

/**
 * `admin users set-password EMAIL`. Reads the password from stdin, because every user of the machine can read arguments. Sessions and tokens stay
 * valid. A password that the policy refuses is set too, with a notice: scripts provision test systems with it.
 */
export async function setPassword(call: Call): Promise<Work> {
  const generated = call.options.generate ? randomBytes(18).toString('base64url') : undefined;
  const password = generated ?? (await readNewPassword(call.stdin));
  return inTransaction(call, async (service, trail) => {
    const user = await service.get(AccountsService).setPassword(call.argument, password);
    const { id, email, customerId } = user;
    await service.get(PasswordLoginService).forgetFailures(email);
    await trail.record('user.set_password', `user:${id}`, customerId);
    const problem = await service.get(PasswordPolicyService).findProblem(password, user, 'en');
    if (problem) call.inform(`The password is set, but the person could not choose it: ${problem}`);
    return { id, email, ...(generated === undefined ? {} : { password: generated }) };
  });
}

/** `admin users show EMAIL`: prints what is stored about a user, to answer an access request; secrets are not shown. */
export async function showUser(call: Call): Promise<Work> {
  return async (service) => {
    const user = await service.get(AccountsService).getByName(call.argument);
    const {
      id,
      email,
      kind,
      firstname,
      lastname,
      customerId,
      adminLevel,
      disabledAt,
      passwordHash,
      createdAt,
      updatedAt,
      requireSecondFactor,
      emailDisputedAt,
    } = user;
    const customer = await service.get(CustomersService).nameOf(customerId);
    const authorizations = await service.get(AuthorizationsService).findOfUser(id, { limit: MAX_SHOWN, after: 0 });
    const { deleted, kept } = await service.get(UserRemovalService).inspect(user);
    return {
      ...{ id, email, kind, firstname, lastname, customer: { id: customerId, name: customer }, adminLevel },
      ...{ hasPassword: passwordHash !== null, requireSecondFactor, disabledAt, emailDisputedAt, createdAt, updatedAt },
      sessions: await service.get(SessionsService).list(id),
      authorizations: authorizations.map(({ clientId, device, scope, ip, userAgent, lastLogin }) => ({
        clientId,
        device,
        scope,
        ip,
        userAgent,
        lastLogin,
      })),
      secondFactors: await service.get(SecondFactorsService).history(id),
      accessKeys: await service.get(AccessKeysService).listOfUser(id),
      identities: await service.get(IdentityProvidersService).identitiesOf(id),
      records: { ...deleted, ...kept },
    };
  };
}

/** `admin users reset-second-factor EMAIL`: mails the user a link to remove lost second factors, which also needs the password. */
export async function resetSecondFactor(call: Call): Promise<Work> {
  return inTransaction(call, async (service, trail) => {
    const user = await service.get(AccountsService).getByName(call.argument);
    await service.get(FactorResetsService).allow(user);
    await trail.record('user.allow_factor_reset', `user:${user.id}`, user.customerId);
    return { id: user.id, email: user.email };
  });
}

/** `admin users disable EMAIL`. Ends sessions, tokens and authorizations for good. If the user is already disabled, the original time is kept. */
export async function disableUser(call: Call): Promise<Work> {
  return inTransaction(call, async (service, { record }) => {
    const user = await service.get(AccountsService).getByName(call.argument);
    const { id, email, disabledAt } = await service.get(UserChangesService).disable(user.id, { record });
    return { id, email, disabledAt };
  });
}

/** `admin users enable EMAIL`. The user has to sign in and to authorize applications again. */
export async function enableUser(call: Call): Promise<Work> {
  return inTransaction(call, async (service, { record }) => {
    const user = await service.get(AccountsService).getByName(call.argument);
    const { id, email, disabledAt } = await service.get(UserChangesService).enable(user.id, { record });
    return { id, email, disabledAt };
  });
}

/**
 * Reads the first and only line of stdin; at a terminal it asks twice without echo.
 * @throws StartupError if it is not an acceptable password
 */
export async function readNewPassword(stdin: Readable): Promise<string> {
  const isTerminal = 'isTTY' in stdin && stdin.isTTY === true;
  const password = isTerminal ? await askTwice(stdin) : (await readText(stdin, 'the password')).replace(/\r?\n$/, '');
  if (password === '') throw new StartupError('The password is empty: give it on stdin, or use --generate.');
  if (!PASSWORD.test(password)) throw new StartupError('The password must be one line of text.');
  if (password.length > MAX_PASSWORD_LENGTH) throw new StartupError(`The password is longer than ${MAX_PASSWORD_LENGTH} characters.`);
  return password;
}

async function askTwice(terminal: Readable): Promise<string> {
  const password = await askHidden(terminal, 'New password: ');
  if ((await askHidden(terminal, 'Once more: ')) !== password) throw new StartupError('The two passwords differ; nothing was changed.');
  return password;
}

/**
 * Asks at a terminal, on stderr, without echoing what is typed.
 * @throws StartupError if the person aborts (Ctrl-C, Ctrl-D)
 */
async function askHidden(terminal: Readable, question: string): Promise<string> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const prompt = createInterface({ input: terminal, output: nowhere, terminal: true });
  const givenUp = new AbortController();
  for (const event of ['SIGINT', 'close'] as const) prompt.once(event, () => givenUp.abort());
  process.stderr.write(question);
  try {
    return await prompt.question('', { signal: givenUp.signal });
  } catch {
    throw new StartupError('Nothing was changed.');
  } finally {
    prompt.close();
    process.stderr.write('\n');
  }
}

/** One line without control characters, which can be typed into the sign-in page. */
export const PASSWORD = /^[^\p{Cc}]+$/u;

/** The sign-in page accepts at most this many characters. */
export const MAX_PASSWORD_LENGTH = 4_096;
