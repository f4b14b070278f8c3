import { randomBytes, randomUUID } from 'node:crypto';
import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { exportJWK, generateKeyPair, type JWK } from 'jose';
import { Clock } from '../../shared/clock.js';
import { Config } from '../../shared/config/index.js';
import { Database, Notifications } from '../../shared/database/index.js';
import { StartupError } from '../../shared/errors.js';
import { HousekeepingService } from '../../shared/jobs/index.js';
import { SecretBoxService } from '../../shared/secrets/index.js';
import { WorkInTurn } from '../../shared/shared-work.js';
import { SERVER_KEY } from './server-key.entity.js';
import { ServerKeysRepository } from './server-keys.repository.js';

/** A private EC P-256 key (RFC 7517) with `kid`, `alg` and `use`. */
export type SigningKey = JWK & { readonly kid: string };

/** The current keys: the first of each list signs, all of them verify. */
export interface KeySet {
  readonly signing: readonly SigningKey[];
  readonly cookies: readonly string[];
}

/** Lifetime of an ID token in seconds; a client reads the token once, right after the login. */
export const ID_TOKEN_TTL_SECONDS = 3_600;

const KEYS_CHANGED = 'server_keys_changed';

/**
 * Provides the keys of the service: SIGNING_KEYS and COOKIE_KEYS if they are set, otherwise keys that are generated once and stored encrypted in
 * the database. A notification informs every process of a rotation; a process that sees an unknown `kid` before the notification arrives reads the
 * keys again.
 */
@Injectable()
export class ServerKeysService implements OnApplicationBootstrap {
  private keys: KeySet | null = null;
  /** Reads are serialised, so that an older result never replaces a newer one. */
  private readonly reading = new WorkInTurn();
  private readonly changed: ((keys: KeySet) => void)[] = [];

  constructor(
    private readonly config: Config,
    private readonly database: Database,
    private readonly notifications: Notifications,
    private readonly repository: ServerKeysRepository,
    private readonly secrets: SecretBoxService,
    private readonly clock: Clock,
    housekeeping: HousekeepingService,
  ) {
    housekeeping.register('server_keys', async () => await this.deleteExpired());
    notifications.listen(
      KEYS_CHANGED,
      () =>
        void this.reload().catch(() => {
          this.keys = null; // the database cannot be reached: the next use reads the keys
        }),
    );
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.current();
  }

  /** Returns the current keys; generates the first ones in an empty database. */
  async current(): Promise<KeySet> {
    return this.keys ?? (await this.reload());
  }

  /** Calls `listener` whenever the keys have changed. */
  onChange(listener: (keys: KeySet) => void): void {
    this.changed.push(listener);
  }

  /** Reads the stored keys, outside the ambient transaction. */
  async reload(): Promise<KeySet> {
    return await this.reading.run(async () => await this.database.outsideTransaction(async () => await this.read()));
  }

  private async read(): Promise<KeySet> {
    const keys = { signing: await this.findSigningKeys(), cookies: await this.findCookieKeys() };
    const isNew = JSON.stringify(keys) !== JSON.stringify(this.keys);
    this.keys = keys;
    if (isNew) for (const listener of this.changed) listener(keys);
    return keys;
  }

  /**
   * Generates a new signing key and a new cookie key, and returns the `kid` of the former. The old keys verify until nothing that they signed can
   * be valid.
   * @throws StartupError when the keys come from the environment
   */
  async rotate(): Promise<{ signing: string }> {
    if (this.config.signingKeys || this.config.cookieKeys.length > 0) {
      throw new StartupError(
        'The keys are set in SIGNING_KEYS or COOKIE_KEYS. Add the new key there in first place, keep the old ones, and restart the service.',
      );
    }
    await this.current(); // with a wrong APP_SECRET this fails before a key is stored that no other process could decrypt
    const kid = await this.database.transaction(async () => {
      await this.repository.lock();
      const now = this.clock.now();
      const signing = await this.createKey('signing');
      await this.repository.retireOthers('signing', signing, now);
      await this.repository.retireOthers('cookie', await this.createKey('cookie'), now);
      await this.notifications.notify(KEYS_CHANGED);
      return signing;
    });
    await this.reload(); // without waiting for the notification
    return { signing: kid };
  }

  /** Deletes retired keys whose last signature has expired; returns their number. */
  async deleteExpired(): Promise<number> {
    const now = this.clock.now().getTime();
    const tokenSeconds = Math.max(this.config.accessTokenTtlSeconds, ID_TOKEN_TTL_SECONDS);
    const signing = await this.repository.deleteRetiredBefore('signing', new Date(now - 2_000 * tokenSeconds));
    const cookie = await this.repository.deleteRetiredBefore('cookie', new Date(now - 1_000 * this.config.sessionTtlSeconds));
    if (signing + cookie > 0) await this.notifications.notify(KEYS_CHANGED);
    return signing + cookie;
  }

  private async findSigningKeys(): Promise<SigningKey[]> {
    if (this.config.signingKeys) return parseSigningKeys(this.config.signingKeys);
    const stored = await this.findOrCreateKeys('signing');
    return stored.map(({ sealed }) => JSON.parse(this.secrets.open(SERVER_KEY, sealed)) as SigningKey);
  }

  private async findCookieKeys(): Promise<string[]> {
    if (this.config.cookieKeys.length > 0) return [...this.config.cookieKeys];
    const stored = await this.findOrCreateKeys('cookie');
    return stored.map(({ sealed }) => this.secrets.open(SERVER_KEY, sealed));
  }

  private async findOrCreateKeys(purpose: 'signing' | 'cookie') {
    const stored = await this.repository.findNewestFirst(purpose);
    if (stored.length > 0) return stored;
    return await this.database.transaction(async () => {
      await this.repository.lock();
      const others = await this.repository.findNewestFirst(purpose);
      if (others.length > 0) return others;
      await this.createKey(purpose);
      return await this.repository.findNewestFirst(purpose);
    });
  }

  private async createKey(purpose: 'signing' | 'cookie'): Promise<string> {
    const id = randomUUID();
    const plain = purpose === 'signing' ? JSON.stringify(await generateSigningKey(id)) : randomBytes(32).toString('base64url');
    await this.repository.insert({ id, purpose, sealed: this.secrets.seal(SERVER_KEY, plain) });
    return id;
  }
}

async function generateSigningKey(kid: string): Promise<SigningKey> {
  const { privateKey } = await generateKeyPair('ES256', { extractable: true });
  return { ...(await exportJWK(privateKey)), kid, alg: 'ES256', use: 'sig' };
}

/** Parses SIGNING_KEYS, which `loadConfig` has validated. */
function parseSigningKeys(text: string): SigningKey[] {
  const { keys } = JSON.parse(text) as { keys: SigningKey[] };
  return keys.map((key) => ({ ...key, alg: 'ES256', use: 'sig' }));
}
