import { randomBytes, randomUUID } from 'node:crypto';
import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { exportJWK, generateKeyPair, type JWK } from 'jose';
import { Config } from '../../shared/config/index.js';
import { Database, Notifications } from '../../shared/database/index.js';
import { StartupError } from '../../shared/errors/index.js';
import { Housekeeping } from '../../shared/jobs/index.js';
import { SecretBox } from '../../shared/secrets/index.js';
import { Clock } from '../../shared/time/index.js';
import { SERVER_KEY } from './server-key.entity.js';
import { ServerKeysRepository } from './server-keys.repository.js';

/** A private EC P-256 key (RFC 7517) with `kid`, `alg` and `use`. */
export type SigningKey = JWK & { readonly kid: string };

/** The keys in force: the first of each list signs, all of them verify. */
export interface KeySet {
  readonly signing: readonly SigningKey[];
  readonly cookies: readonly string[];
}

/** Lifetime of an ID token: a client reads it once, right after the login. */
export const ID_TOKEN_TTL_SECONDS = 3_600;

export const KEYS_CHANGED = 'server_keys_changed';

/**
 * The keys of the service: SIGNING_KEYS and COOKIE_KEYS where given, else made once and kept encrypted in the database. A rotation reaches
 * every process by a notification; a process that meets an unknown `kid` before it heard of it reads the keys again.
 */
@Injectable()
export class ServerKeys implements OnApplicationBootstrap {
  private keys: KeySet | null = null;
  /** One reading goes after the other, so that an older one never overwrites a newer. */
  private reading: Promise<unknown> = Promise.resolve();
  private readonly changed: ((keys: KeySet) => void)[] = [];

  constructor(
    private readonly config: Config,
    private readonly database: Database,
    private readonly notifications: Notifications,
    private readonly repository: ServerKeysRepository,
    private readonly secrets: SecretBox,
    private readonly clock: Clock,
    housekeeping: Housekeeping,
  ) {
    housekeeping.register('server_keys', async () => await this.deleteOutlived());
    notifications.on(KEYS_CHANGED, () => void this.reload().catch(() => this.forget())); // the database is away: the next use reads them
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.current();
  }

  /** The keys in force; makes the first ones in an empty database. */
  async current(): Promise<KeySet> {
    return this.keys ?? (await this.reload());
  }

  /** Calls `listener` whenever the keys were read again and differ. */
  onChange(listener: (keys: KeySet) => void): void {
    this.changed.push(listener);
  }

  /** Reads the keys as they are stored, whatever transaction the caller is in. */
  async reload(): Promise<KeySet> {
    const reading = this.reading.then(async () => await this.database.outsideTransaction(async () => await this.read()));
    this.reading = reading.catch(() => {}); // the caller is told
    return await reading;
  }

  private async read(): Promise<KeySet> {
    const keys = { signing: await this.signingKeys(), cookies: await this.cookieKeys() };
    const isNew = JSON.stringify(keys) !== JSON.stringify(this.keys);
    this.keys = keys;
    if (isNew) for (const listener of this.changed) listener(keys);
    return keys;
  }

  private forget(): void {
    this.keys = null;
  }

  /**
   * Makes a new signing key and a new cookie key; the old ones go on verifying until nothing signed with them can be valid any more.
   * @throws StartupError when the keys come from the environment: they are rotated there.
   */
  async rotate(): Promise<{ signing: string }> {
    if (this.config.signingKeys || this.config.cookieKeys.length > 0) {
      throw new StartupError(
        'The keys come from SIGNING_KEYS or COOKIE_KEYS: put the new key first there, keep the old ones, and restart.',
      );
    }
    await this.current(); // with another APP_SECRET this fails, before a key is made that no other process could open
    const kid = await this.database.transaction(async () => {
      await this.repository.lock();
      const now = this.clock.now();
      const signing = await this.make('signing');
      await this.repository.retireOthers('signing', signing, now);
      await this.repository.retireOthers('cookie', await this.make('cookie'), now);
      await this.notifications.notify(KEYS_CHANGED);
      return signing;
    });
    await this.reload(); // this process does not wait for its own notification
    return { signing: kid };
  }

  /** Deletes retired keys whose last signature has expired; answers how many. */
  async deleteOutlived(): Promise<number> {
    const now = this.clock.now().getTime();
    const tokenSeconds = Math.max(this.config.accessTokenTtlSeconds, ID_TOKEN_TTL_SECONDS);
    const signing = await this.repository.deleteRetiredBefore('signing', new Date(now - 2_000 * tokenSeconds));
    const cookie = await this.repository.deleteRetiredBefore('cookie', new Date(now - 1_000 * this.config.sessionTtlSeconds));
    if (signing + cookie > 0) await this.notifications.notify(KEYS_CHANGED);
    return signing + cookie;
  }

  private async signingKeys(): Promise<SigningKey[]> {
    if (this.config.signingKeys) return parseSigningKeys(this.config.signingKeys);
    const stored = await this.storedKeys('signing');
    return stored.map(({ sealed }) => JSON.parse(this.secrets.open(SERVER_KEY, sealed)) as SigningKey);
  }

  private async cookieKeys(): Promise<string[]> {
    if (this.config.cookieKeys.length > 0) return [...this.config.cookieKeys];
    const stored = await this.storedKeys('cookie');
    return stored.map(({ sealed }) => this.secrets.open(SERVER_KEY, sealed));
  }

  private async storedKeys(purpose: 'signing' | 'cookie') {
    const stored = await this.repository.findNewestFirst(purpose);
    if (stored.length > 0) return stored;
    return await this.database.transaction(async () => {
      await this.repository.lock();
      const others = await this.repository.findNewestFirst(purpose);
      if (others.length > 0) return others;
      await this.make(purpose);
      return await this.repository.findNewestFirst(purpose);
    });
  }

  private async make(purpose: 'signing' | 'cookie'): Promise<string> {
    const id = randomUUID();
    const plain = purpose === 'signing' ? JSON.stringify(await newSigningKey(id)) : randomBytes(32).toString('base64url');
    await this.repository.insert({ id, purpose, sealed: this.secrets.seal(SERVER_KEY, plain) });
    return id;
  }
}

async function newSigningKey(kid: string): Promise<SigningKey> {
  const { privateKey } = await generateKeyPair('ES256', { extractable: true });
  return { ...(await exportJWK(privateKey)), kid, alg: 'ES256', use: 'sig' };
}

/** The configuration has checked them. */
function parseSigningKeys(text: string): SigningKey[] {
  const { keys } = JSON.parse(text) as { keys: SigningKey[] };
  return keys.map((key) => ({ ...key, alg: 'ES256', use: 'sig' }));
}
