import type { Command, Options } from './command.js';

/** Describes a command; its code is loaded only when it runs, so that help and usage errors appear immediately. */
export interface CommandDescription {
  readonly synopsis: string;
  readonly summary: string;
  readonly argument?: 'FILE' | 'EMAIL' | 'CLIENT_ID' | 'ACCESS_KEY' | 'NAME';
  readonly options: readonly (keyof Options)[];
  /** Whether the command needs the object storage, which is started for it if the service is not running. */
  readonly needsStorage?: true;
  load(): Promise<Command>;
}

export const commands: Readonly<Record<string, CommandDescription>> = {
  apply: {
    synopsis: 'apply FILE',
    summary: 'create or update the records declared in FILE (JSON or YAML, - = stdin)',
    argument: 'FILE',
    options: ['reason'],
    load: async () => (await import('./apply/apply.js')).apply,
  },
  token: {
    synopsis: 'token --user EMAIL [--client ID] [--scope "api"]',
    summary: 'print an access token, for development only',
    options: ['user', 'client', 'scope', 'reason'],
    load: async () => (await import('./issue-token.js')).issueToken,
  },
  'users list': {
    synopsis: 'users list [--customer NAME] [--kind person|service|sender]',
    summary: 'print the users, one JSON object per line; without --kind no senders',
    options: ['customer', 'kind'],
    load: async () => (await import('./lists.js')).listUsers,
  },
  'users show': {
    synopsis: 'users show EMAIL',
    summary: 'print what is stored about a user, by address or id',
    argument: 'EMAIL',
    options: [],
    load: async () => (await import('./users.js')).showUser,
  },
  'users set-password': {
    synopsis: 'users set-password EMAIL [--generate]',
    summary: 'read the new password from stdin, or generate and print one',
    argument: 'EMAIL',
    options: ['generate', 'reason'],
    load: async () => (await import('./users.js')).setPassword,
  },
  'users reset-second-factor': {
    synopsis: 'users reset-second-factor EMAIL',
    summary: 'mail the user a link to remove lost second factors (with the password)',
    argument: 'EMAIL',
    options: ['reason'],
    load: async () => (await import('./users.js')).resetSecondFactor,
  },
  'users disable': {
    synopsis: 'users disable EMAIL',
    summary: 'refuse every session and token of the user from now on',
    argument: 'EMAIL',
    options: ['reason'],
    load: async () => (await import('./users.js')).disableUser,
  },
  'users enable': {
    synopsis: 'users enable EMAIL',
    summary: 'undo users disable',
    argument: 'EMAIL',
    options: ['reason'],
    load: async () => (await import('./users.js')).enableUser,
  },
  'users end-sessions': {
    synopsis: 'users end-sessions EMAIL [--yes]',
    summary: 'end every session, token and authorization of a user',
    argument: 'EMAIL',
    options: ['yes', 'reason'],
    load: async () => (await import('./departures.js')).endSessions,
  },
  'users remove': {
    synopsis: 'users remove EMAIL [--transfer-to EMAIL] [--yes]',
    summary: 'delete a user; records of the customer go to another user',
    argument: 'EMAIL',
    options: ['transfer-to', 'yes', 'reason'],
    load: async () => (await import('./departures.js')).removeUser,
  },
  'users erase': {
    synopsis: 'users erase EMAIL [--transfer-to EMAIL] [--yes]',
    summary: 'erase address and name of a person everywhere; files stay',
    argument: 'EMAIL',
    options: ['transfer-to', 'yes', 'reason'],
    load: async () => (await import('./departures.js')).eraseUser,
  },
  'passwords blocklist': {
    synopsis: 'passwords blocklist FILE [--replace]',
    summary: 'refuse these new passwords, one a line; --replace empties the list first',
    argument: 'FILE',
    options: ['replace', 'reason'],
    load: async () => (await import('./import-blocklist.js')).importBlocklist,
  },
  'senders erase': {
    synopsis: 'senders erase EMAIL [--yes]',
    summary: 'the same for a sender of dropsites who has no account',
    argument: 'EMAIL',
    options: ['yes', 'reason'],
    load: async () => (await import('./departures.js')).eraseSender,
  },
  'customers list': {
    synopsis: 'customers list',
    summary: 'print the customers, one JSON object per line',
    options: [],
    load: async () => (await import('./lists.js')).listCustomers,
  },
  'customers rename': {
    synopsis: 'customers rename NAME --to NAME',
    summary: 'give a customer, found by name or id, the name by which apply finds it',
    argument: 'NAME',
    options: ['to', 'reason'],
    load: async () => (await import('./rename-customer.js')).renameCustomer,
  },
  'customers remove': {
    synopsis: 'customers remove NAME [--with-media] [--yes]',
    summary: 'delete a customer, by name or id, with everything it has',
    argument: 'NAME',
    options: ['with-media', 'yes', 'reason'],
    needsStorage: true,
    load: async () => (await import('./remove-customer.js')).removeCustomer,
  },
  'clients list': {
    synopsis: 'clients list',
    summary: 'print the client applications, one JSON object per line',
    options: [],
    load: async () => (await import('./lists.js')).listClients,
  },
  'clients remove': {
    synopsis: 'clients remove CLIENT_ID [--yes]',
    summary: 'delete a client application with its authorizations',
    argument: 'CLIENT_ID',
    options: ['yes', 'reason'],
    load: async () => (await import('./departures.js')).removeClient,
  },
  'clients rotate-secret': {
    synopsis: 'clients rotate-secret CLIENT_ID [--keep-old DURATION]',
    summary: 'print a new secret, only once; the old one ends now, or after 24h',
    argument: 'CLIENT_ID',
    options: ['keep-old', 'reason'],
    load: async () => (await import('./keys.js')).rotateClientSecret,
  },
  'access-keys list': {
    synopsis: 'access-keys list [--customer NAME]',
    summary: 'print the access keys, one JSON object per line',
    options: ['customer'],
    load: async () => (await import('./lists.js')).listAccessKeys,
  },
  'access-keys remove': {
    synopsis: 'access-keys remove ACCESS_KEY [--yes]',
    summary: 'delete an access key, which ends its signatures at once',
    argument: 'ACCESS_KEY',
    options: ['yes', 'reason'],
    load: async () => (await import('./departures.js')).removeAccessKey,
  },
  'keys rotate': {
    synopsis: 'keys rotate',
    summary: 'create signing and cookie keys; signatures of the old ones stay valid',
    options: ['reason'],
    load: async () => (await import('./keys.js')).rotateKeys,
  },
  'keys reencrypt': {
    synopsis: 'keys reencrypt',
    summary: 're-encrypt data of APP_SECRET_PREVIOUS under APP_SECRET',
    options: ['reason'],
    load: async () => (await import('./keys.js')).reencryptSecrets,
  },
  'saml check': {
    synopsis: 'saml check FILE',
    summary: "report problems of an identity provider's metadata (- = stdin)",
    argument: 'FILE',
    options: [],
    load: async () => (await import('./check-metadata.js')).checkMetadata,
  },
  'uploads reap': {
    synopsis: 'uploads reap [--now DATETIME]',
    summary: 'end and delete incomplete uploads, as at the given time',
    options: ['now', 'reason'],
    needsStorage: true,
    load: async () => (await import('./uploads.js')).reapUploads,
  },
  'uploads reconcile': {
    synopsis: 'uploads reconcile [--mend]',
    summary: 'compare database and storage; --mend repairs differences',
    options: ['mend', 'reason'],
    needsStorage: true,
    load: async () => (await import('./uploads.js')).reconcileUploads,
  },
  'media reprocess-pictures': {
    synopsis: 'media reprocess-pictures',
    summary: 'discard all sizes of pictures; each is made again on request',
    options: ['reason'],
    load: async () => (await import('./media.js')).reprocessPictures,
  },
  'check storage': {
    synopsis: 'check storage',
    summary: 'test every required permission on the bucket, and list missing ones',
    options: [],
    needsStorage: true,
    load: async () => (await import('./check-storage.js')).checkStorage,
  },
  'check cdn': {
    synopsis: 'check cdn',
    summary: 'test the CDN with tokens and without, and list problems',
    options: [],
    needsStorage: true,
    load: async () => (await import('./check-cdn.js')).checkCdn,
  },
  audit: {
    synopsis: 'audit',
    summary: 'print the audit trail, one JSON object per line, oldest first',
    options: [],
    load: async () => (await import('./trail.js')).listAudit,
  },
};
