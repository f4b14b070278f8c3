import type { INestApplicationContext } from '@nestjs/common';
import { AuthorizationsService } from '../modules/access/index.js';
import {
  AccessKeysService,
  AccountsService,
  AdministratorsService,
  type Departing,
  toErasedPerson,
  type User,
  UserRemovalService,
} from '../modules/accounts/index.js';
import { ClientsService } from '../modules/oauth/index.js';
import type { RecordChange } from '../shared/audit/audit.service.js';
import { canonicalEmail } from '../shared/email-address.js';
import { DomainError, StartupError } from '../shared/errors.js';
import { ReferencesRepository, type RowCounts } from '../shared/removal/index.js';
import type { Call, Work } from './command.js';
import { inTransaction, Trail } from './trail.js';

/** Records that are kept, and why. `count` is missing where the records cannot be counted. */
export interface Kept {
  readonly what: string;
  readonly count?: number;
  readonly why: string;
}

/** As permissive as the check of sender addresses in dropsites. */
const ADDRESS = /^[^\s@]+@[^\s@]+$/u;

/** `admin users end-sessions EMAIL [--yes]`. */
export async function endSessions(call: Call): Promise<Work> {
  return async (service) => {
    const user = await service.get(AccountsService).getByName(call.argument);
    const removal = service.get(UserRemovalService);
    const { deleted } = await removal.inspect(user);
    const isEnded = (name: string) => !name.includes('.') || name.startsWith('authorizations.');
    const ends = Object.fromEntries(Object.entries(deleted).filter(([name]) => isEnded(name)));
    if (call.options.yes) await removal.endSessions(user, recordOf(service, call));
    const kept: Kept[] = [
      {
        what: 'access keys',
        count: deleted['access_keys.user_id'] ?? 0,
        why: 'they sign requests without a session: users disable stops them too',
      },
    ];
    return { dryRun: !call.options.yes, user: nameOf(user), removes: ends, kept };
  };
}

/** `admin users remove EMAIL [--transfer-to EMAIL] [--yes]`. */
export async function removeUser(call: Call): Promise<Work> {
  return async (service) => {
    const user = await getRemovable(service, call.argument);
    const removal = service.get(UserRemovalService);
    const administrators = service.get(AdministratorsService);
    const to = await findSuccessor(service, call);
    const { deleted, kept } = await removal.inspect(user);
    const check = async () => {
      await administrators.checkMayGo(user);
      if (to) await removal.checkMayTakeOver(user, to);
      else if (Object.keys(kept).length > 0) throw new StartupError(namedBy(user, kept));
    };
    const refused = await refusalOf(call, check);
    if (call.options.yes) await removal.remove(user, { to, record: recordOf(service, call) });
    return {
      dryRun: !call.options.yes,
      user: nameOf(user),
      ...refused,
      removes: { users: 1, ...deleted },
      ...(to && { transfers: { to: nameOf(to), ...kept } }),
      kept: [
        ...(to ? [] : keptOf(user, kept)),
        { what: 'texts', why: 'texts with the address or the name stay: users erase erases them' },
        ...AUDIT,
      ],
    };
  };
}

/** `admin users erase EMAIL [--transfer-to EMAIL] [--yes]`. Senders with the same address are erased too. */
export async function eraseUser(call: Call): Promise<Work> {
  return async (service) => {
    const user = await getRemovable(service, call.argument);
    const senders = await service.get(AccountsService).findSenders(user.email);
    return await erase(service, call, { email: user.email, users: [user, ...senders] });
  };
}

/** `admin senders erase EMAIL [--yes]`. Also accepts an address that occurs only in texts. */
export async function eraseSender(call: Call): Promise<Work> {
  const email = canonicalEmail(call.argument);
  if (!ADDRESS.test(email)) throw new StartupError('EMAIL must be an e-mail address.');
  return async (service) => {
    const accounts = service.get(AccountsService);
    const user = await accounts.findByEmail(email);
    if (user) throw new StartupError(`User ${user.id} has this address: users erase erases the account and the sender together.`);
    return await erase(service, call, { email, users: await accounts.findSenders(email) });
  };
}

/** `admin clients remove CLIENT_ID [--yes]`. */
export async function removeClient(call: Call): Promise<Work> {
  const clientId = call.argument;
  return async (service) => {
    const clients = service.get(ClientsService);
    const client = await clients.findStored(clientId);
    if (!client) throw new StartupError(`There is no client application "${clientId}".`);
    const { deleted } = await service.get(ReferencesRepository).countTo('clients', clientId);
    const affectedUsers = (await service.get(AuthorizationsService).countUsersByClient()).get(clientId) ?? 0;
    const remove = inTransaction(call, async (_service, trail) => {
      await clients.remove(clientId);
      await trail.record('client.remove', `client:${clientId}`, client.customerId);
    });
    if (call.options.yes) await remove(service);
    return {
      dryRun: !call.options.yes,
      client: { clientId, name: client.name },
      affectedUsers,
      removes: { clients: 1, ...deleted },
      kept: [
        { what: 'player configurations', why: 'those that name the client refuse its viewers from now on: change their oauth.clientId' },
        ...AUDIT,
      ],
    };
  };
}

/** `admin access-keys remove ACCESS_KEY [--yes]`. */
export async function removeAccessKey(call: Call): Promise<Work> {
  const accessKey = call.argument;
  return async (service) => {
    const keys = service.get(AccessKeysService);
    const stored = await keys.findStored(accessKey);
    if (!stored) throw new StartupError(`There is no access key "${accessKey}".`);
    const remove = inTransaction(call, async (_service, trail) => {
      await keys.remove(accessKey);
      const user = await service.get(AccountsService).findById(stored.userId);
      await trail.record('access_key.remove', `access_key:${accessKey}`, user?.customerId ?? null);
    });
    if (call.options.yes) await remove(service);
    return {
      dryRun: !call.options.yes,
      accessKey: { accessKey, userId: stored.userId },
      removes: { access_keys: 1 },
      kept: [
        { what: 'player configurations', why: 'those that allow the key in extAuth refuse viewers whose tokens it signs' },
        {
          what: 'authorizations from codes that the key requested',
          why: 'they end with the key, and their rows are deleted at their end date',
        },
        ...AUDIT,
      ],
    };
  };
}

async function erase(service: INestApplicationContext, call: Call, person: Departing): Promise<object> {
  const removal = service.get(UserRemovalService);
  const administrators = service.get(AdministratorsService);
  const to = await findSuccessor(service, call);
  const check = async () => {
    for (const user of person.users) await administrators.checkMayGo(user);
    for (const user of person.users.filter(({ kind }) => kind !== 'sender')) if (to) await removal.checkMayTakeOver(user, to);
  };
  const refused = await refusalOf(call, check);
  const belongings = await Promise.all(person.users.map(async (user) => ({ user, ...(await removal.inspect(user)) })));
  const { texts, identifiers, inUse, unreadable } = await removal.findTraces(person);
  if (call.options.yes) {
    const { pattern } = toErasedPerson(person);
    const trail = new Trail(service, call, (reason) => pattern.erase(reason, { inUrls: true, withNames: true }));
    await removal.erase(person, { to, record: trail.record });
  }
  return {
    dryRun: !call.options.yes,
    // After an erasure, the output must not name the person either.
    ...(call.options.yes ? { userIds: person.users.map(({ id }) => id) } : { users: person.users.map(nameOf) }),
    ...refused,
    removes: sum(belongings.map(({ deleted }) => deleted)),
    erases: { users: person.users.length, ...texts },
    ...(to && { transfers: { to: nameOf(to), ...sum(belongings.filter(({ user }) => user.kind !== 'sender').map(({ kept }) => kept)) } }),
    kept: [
      ...belongings.flatMap(({ user, kept }) => (to && user.kind !== 'sender' ? [] : keptOf(user, kept))),
      ...listed(identifiers, 'it identifies the record, which an operator has to rename'),
      ...listed(inUse, 'the address is part of a URL, a rule or a tag of someone else, which an operator has to change'),
      ...listed(unreadable, 'it was encrypted under an APP_SECRET that the service no longer has'),
      { what: 'files', why: 'their contents are not searched; they stay with the customer' },
      ...AUDIT,
      { what: 'logs of processes and backups', why: 'they are outside the database: see docs/privacy.md' },
    ],
  };
}

/** Returns why the command refuses to act in a dry run; otherwise throws it. */
async function refusalOf({ options }: Call, check: () => Promise<void>): Promise<{ refused?: string }> {
  try {
    await check();
    return {};
  } catch (error) {
    const reason = error instanceof DomainError ? error.detail : error instanceof StartupError ? error.message : null;
    if (options.yes || reason === null) throw error;
    return { refused: reason };
  }
}

async function getRemovable(service: INestApplicationContext, name: string): Promise<User> {
  const user = await service.get(AccountsService).getByName(name);
  if (user.kind === 'sender') throw new StartupError(`User ${user.id} is a sender of dropsites: use senders erase.`);
  return user;
}

async function findSuccessor(service: INestApplicationContext, { options }: Call): Promise<User | null> {
  const name = options['transfer-to'];
  return name === undefined ? null : await service.get(AccountsService).getByName(name);
}

const recordOf = (service: INestApplicationContext, call: Call): RecordChange => new Trail(service, call).record;

const nameOf = ({ id, email, kind, firstname, lastname, customerId }: User): object => ({
  id,
  email,
  kind,
  firstname,
  lastname,
  customerId,
});

const AUDIT: readonly Kept[] = [{ what: 'audit records', why: 'they show who did what, and name people by id' }];

/** By table: the consequences for records that reference a removed user. */
const REASONS: Readonly<Record<string, string>> = {
  clients: 'client credentials act as this user and are refused from now on: declare another serviceUser',
  dropsites: 'they belong to the customer; their notices are not sent until another user owns them (--transfer-to)',
  subscriptions: 'they belong to the customer; their api instructions fail until another user edits or takes them over (--transfer-to)',
};

const keptOf = ({ id }: User, kept: RowCounts): Kept[] =>
  Object.entries(kept).map(([what, count]) => ({
    what,
    count,
    why: REASONS[what.split('.')[0] ?? ''] ?? `they belong to the customer and name user ${id} by id`,
  }));

const listed = (counts: RowCounts, why: string): Kept[] => Object.entries(counts).map(([what, count]) => ({ what, count, why }));

function namedBy({ id }: User, kept: RowCounts): string {
  const places = Object.entries(kept).map(([name, count]) => `${name}: ${count}`);
  return `Records of the customer name user ${id} (${places.join(', ')}): name another user with --transfer-to EMAIL, or erase the user instead.`;
}

function sum(counts: readonly RowCounts[]): RowCounts {
  const total: Record<string, number> = {};
  for (const [name, count] of counts.flatMap((one) => Object.entries(one))) total[name] = (total[name] ?? 0) + count;
  return total;
}
