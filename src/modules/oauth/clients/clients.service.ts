import { randomBytes } from 'node:crypto';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { ClientDirectory } from '../../../shared/auth/index.js';
import { Clock } from '../../../shared/clock.js';
import { Database, Notifications } from '../../../shared/database/index.js';
import type { DomainError } from '../../../shared/errors.js';
import { equalInConstantTime, sha256 } from '../../../shared/secrets/index.js';
import { SharedWork } from '../../../shared/shared-work.js';
import { originOf } from '../../../shared/validation/index.js';
import { AccountsService, CustomersService } from '../../accounts/index.js';
import { clientsErrors } from '../oauth.errors.js';
import type { CreateClientDto } from './client.dto.js';
import type { Client } from './client.entity.js';
import { CLIENT_ID, isDeclarableClientId, isReservedClientId, type ServiceClientId } from './client-ids.js';
import { ClientsRepository } from './clients.repository.js';

export const CLIENTS_CHANGED = 'clients_changed';

/** The desired state of a client; absent fields stay unchanged. `serviceUser` is an e-mail address; not confidential: it has no secret. */
export type ClientDeclaration = Omit<CreateClientDto, 'clientId' | 'customerId' | 'serviceUserId'> & {
  readonly clientId: string;
  readonly clientSecret?: string;
  readonly serviceUser?: string;
};

/** The ids of clients that were registered before the rule which they do not follow. */
interface IrregularClients {
  readonly withOtherCharacters: readonly string[];
  /** Those of customers. */
  readonly withReservedIds: readonly string[];
  /** Those of a customer that act as a user of another one. */
  readonly actingForOtherCustomers: readonly string[];
}

/** The grant types of a new client if its declaration names none. */
export const DEFAULT_GRANT_TYPES: readonly string[] = ['authorization_code', 'refresh_token'];

/** Secrets are stored as SHA-256, which protects only those that cannot be guessed; generated ones have 43 characters. */
export const MIN_CLIENT_SECRET_LENGTH = 32;

/** Manages the registered client applications. All are cached in memory; a notification informs every process of a change. */
@Injectable()
export class ClientsService implements ClientDirectory, OnModuleInit {
  private readonly cache = new SharedWork<ReadonlyMap<string, Client>>({ keptMs: Number.POSITIVE_INFINITY });

  constructor(
    private readonly repository: ClientsRepository,
    private readonly accounts: AccountsService,
    private readonly customers: CustomersService,
    private readonly database: Database,
    private readonly notifications: Notifications,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.notifications.listen(CLIENTS_CHANGED, () => this.cache.forget());
  }

  async find(clientId: string): Promise<Client | null> {
    return (await this.all()).get(clientId) ?? null;
  }

  async exists(clientId: string): Promise<boolean> {
    return (await this.find(clientId)) !== null;
  }

  /** Reads a client without the cache, as the ambient transaction sees it, for decisions that the same transaction writes. */
  async findStored(clientId: string): Promise<Client | null> {
    return await this.repository.findByClientId(clientId);
  }

  /** Finds the first-party client that was registered first, or null. */
  async findOldestFirstParty(): Promise<Client | null> {
    const ours = [...(await this.all()).values()].filter(({ firstParty }) => firstParty);
    return ours.sort((left, right) => left.id - right.id)[0] ?? null;
  }

  /** @throws DomainError 400 `unknown_client` */
  async get(clientId: string): Promise<Client> {
    const client = await this.find(clientId);
    if (!client) throw clientsErrors.unknown_client(`There is no client application "${clientId}".`);
    return client;
  }

  /** Returns the confidential client with this secret, or null. After a rotation the previous secret is valid until its end. */
  async authenticate(clientId: string, secret: string): Promise<Client | null> {
    const client = await this.find(clientId);
    if (!client?.secretHash) return null;
    const { secretHash, previousSecretHash, previousSecretEndsAt } = client;
    const isPreviousAlive = previousSecretEndsAt !== null && previousSecretEndsAt > this.clock.now();
    const accepted = [secretHash, ...(previousSecretHash && isPreviousAlive ? [previousSecretHash] : [])];
    return accepted.some((hash) => equalInConstantTime(hash, sha256(secret))) ? client : null;
  }

  /** Whether a page of this origin belongs to a registered client. */
  async isRegisteredOrigin(origin: string): Promise<boolean> {
    for (const { redirectUris } of (await this.all()).values()) {
      if (redirectUris.some((uri) => originOf(uri) === origin)) return true;
    }
    return false;
  }

  /** Lists the public clients that may request codes without PKCE. */
  async findWithoutPkce(): Promise<string[]> {
    const open = [...(await this.all()).values()].filter(mayOmitPkce);
    return open.map(({ clientId }) => clientId);
  }

  /** Creates or updates a client of the service itself, whose id is thereby reserved. Throws like `declare`. */
  async declareOwn(declaration: ClientDeclaration & { readonly clientId: ServiceClientId }): Promise<Client> {
    return await this.declare(declaration);
  }

  /**
   * Creates a client of the operator, or updates the one with this id.
   * @throws DomainError 409 `client_id_reserved`, and `client_id_taken` if the client belongs to a customer: the operator's settings would give its
   * secret and its redirect URIs rights that are meant for another application
   */
  async declare(declaration: ClientDeclaration): Promise<Client> {
    const { clientId, name, type, redirectUris, postLogoutRedirectUris, grantTypes, firstParty, requirePkce } = declaration;
    return await this.changeWithNotice(async () => {
      const existing = await this.repository.lockByClientId(clientId);
      const refusal = await this.refusalOf(clientId, existing);
      if (refusal) throw refusal;
      return await this.repository.save({
        ...existing,
        clientId,
        name,
        type,
        redirectUris: [...redirectUris],
        postLogoutRedirectUris: [...(postLogoutRedirectUris ?? existing?.postLogoutRedirectUris ?? [])],
        grantTypes: [...(grantTypes ?? existing?.grantTypes ?? DEFAULT_GRANT_TYPES)],
        ...secretsAfter(declaration, existing),
        firstParty: firstParty ?? existing?.firstParty ?? false,
        requirePkce: requirePkce ?? requiresPkceByDefault(declaration, existing),
        framedConsent: declaration.framedConsent ?? existing?.framedConsent ?? false,
        serviceUserId: await this.serviceUserId(declaration, existing),
      });
    });
  }

  /** Generates and returns a new secret of a confidential client. The previous one ends at `oldSecretEndsAt`, or immediately. */
  async rotateSecret(clientId: string, oldSecretEndsAt: Date | null = null): Promise<string> {
    const secret = newClientSecret();
    await this.changeWithNotice(async () => {
      const client = await this.repository.lockByClientId(clientId);
      if (!client) throw clientsErrors.unknown_client(`There is no client application "${clientId}".`);
      if (!client.secretHash) throw clientsErrors.client_is_public(`"${clientId}" is a public client and has no secret.`);
      const previousSecretHash = oldSecretEndsAt === null ? null : client.secretHash;
      await this.repository.save({ ...client, secretHash: sha256(secret), previousSecretHash, previousSecretEndsAt: oldSecretEndsAt });
    });
    return secret;
  }

  /**
   * Deletes a client and its authorizations, which ends their tokens immediately.
   * @throws DomainError 400 `unknown_client`
   */
  async remove(clientId: string): Promise<Client> {
    return await this.changeWithNotice(async () => {
      const client = await this.repository.lockByClientId(clientId);
      if (!client) throw clientsErrors.unknown_client(`There is no client application "${clientId}".`);
      await this.repository.delete(clientId);
      return client;
    });
  }

  /** Lists all clients in the order of their registration. */
  async list(): Promise<Client[]> {
    return [...(await this.load()).values()].sort((left, right) => left.id - right.id);
  }

  /** Changes clients and notifies every process in one transaction; this process does not wait for its own notification. */
  async changeWithNotice<T>(change: () => Promise<T>): Promise<T> {
    const result = await this.database.transaction(async () => {
      const changed = await change();
      await this.notifications.notify(CLIENTS_CHANGED);
      return changed;
    });
    this.cache.forget();
    return result;
  }

  /** Why the operator may not declare a client with this id, or null. */
  async findRefusal(clientId: string): Promise<DomainError | null> {
    return await this.refusalOf(clientId, await this.findStored(clientId));
  }

  /** Lists the clients that rules of today would refuse. They go on to work; the operator should change them. */
  async findIrregular(): Promise<IrregularClients> {
    const clients = [...(await this.all()).values()];
    const idsOf = (found: readonly Client[]) => found.map(({ clientId }) => clientId);
    const acting: Client[] = [];
    for (const client of clients) if (await this.actsForOtherCustomer(client)) acting.push(client);
    return {
      withOtherCharacters: idsOf(clients.filter(({ clientId }) => !CLIENT_ID.test(clientId))),
      withReservedIds: idsOf(clients.filter(({ clientId, customerId }) => customerId !== null && isReservedClientId(clientId))),
      actingForOtherCustomers: idsOf(acting),
    };
  }

  /** Whether a client of a customer acts as a user of another one, which only an operator can have arranged. */
  async actsForOtherCustomer({ customerId, serviceUserId }: Client): Promise<boolean> {
    if (customerId === null || serviceUserId === null) return false;
    return (await this.accounts.findById(serviceUserId))?.customerId !== customerId;
  }

  private async refusalOf(clientId: string, existing: Client | null): Promise<DomainError | null> {
    if (existing?.customerId === null) return null;
    if (existing) {
      const owner = await this.customers.describe(existing.customerId);
      const mending = `Remove it with "clients remove ${clientId} --yes", or use another id.`;
      return clientsErrors.client_id_taken(`The client application "${clientId}" belongs to ${owner}, not to the operator. ${mending}`);
    }
    if (!isDeclarableClientId(clientId))
      return clientsErrors.client_id_reserved(`The client_id "${clientId}" is reserved for the service itself.`);
    if (CLIENT_ID.test(clientId)) return null;
    return clientsErrors.client_id_malformed(
      `The client_id "${clientId}" must consist of ASCII letters, digits and ._~-, and begin with a letter or digit.`,
    );
  }

  private async serviceUserId({ serviceUser }: ClientDeclaration, existing: Client | null): Promise<number | null> {
    if (serviceUser === undefined) return existing?.serviceUserId ?? null;
    const user = await this.accounts.findByEmail(serviceUser);
    if (!user) throw clientsErrors.service_user_unknown(`The service user ${serviceUser} does not exist; declare it under users.`);
    return user.id;
  }

  private async all(): Promise<ReadonlyMap<string, Client>> {
    if (!this.notifications.connected) return await this.load(); // changes would go unnoticed
    return await this.cache.get(async () => await this.load());
  }

  private async load(): Promise<ReadonlyMap<string, Client>> {
    const clients = await this.database.outsideTransaction(() => this.repository.findAll());
    return new Map(clients.map((client) => [client.clientId, client]));
  }
}

/** Whether only the redirect URI protects the codes of a client. */
export const mayOmitPkce = ({ secretHash, requirePkce, grantTypes }: Client): boolean =>
  secretHash === null && !requirePkce && grantTypes.includes('authorization_code');

/** Public clients must use PKCE (RFC 9700 section 2.1.1). A client that was public before keeps its setting. */
function requiresPkceByDefault(declaration: ClientDeclaration, existing: Client | null): boolean {
  const isPublic = secretsAfter(declaration, existing).secretHash === null;
  const wasPublic = existing !== null && existing.secretHash === null;
  return isPublic && !wasPublic ? true : (existing?.requirePkce ?? false);
}

/** The secrets after a declaration. A changed or removed secret also ends the one before the last rotation. */
function secretsAfter(
  { clientSecret, confidential }: ClientDeclaration,
  existing: Client | null,
): Pick<Client, 'secretHash' | 'previousSecretHash' | 'previousSecretEndsAt'> {
  const stored = existing?.secretHash ?? null;
  const secretHash = clientSecret === undefined ? (confidential === false ? null : stored) : sha256(clientSecret);
  const { previousSecretHash = null, previousSecretEndsAt = null } = secretHash === stored && existing ? existing : {};
  return { secretHash, previousSecretHash, previousSecretEndsAt };
}

/** Generates a secret of 256 random bits in base64url. */
export const newClientSecret = (): string => randomBytes(32).toString('base64url');
