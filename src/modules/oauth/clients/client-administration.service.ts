import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { AuditService } from '../../../shared/audit/audit.service.js';
import type { Caller } from '../../../shared/auth/index.js';
import { Clock } from '../../../shared/clock.js';
import { Database, isUniqueViolation, type Portion } from '../../../shared/database/index.js';
import { generalErrors } from '../../../shared/errors.js';
import { requireMatch } from '../../../shared/http/index.js';
import { sha256 } from '../../../shared/secrets/index.js';
import { defined, invalidInput, refuseInvalid } from '../../../shared/validation/index.js';
import { AccountsService, AdministrationService, ProofsService, requireRank } from '../../accounts/index.js';
import { clientsErrors } from '../oauth.errors.js';
import type { ClientChangesDto, CreateClientDto } from './client.dto.js';
import type { Client } from './client.entity.js';
import { isReservedClientId } from './client-ids.js';
import { ClientsRepository } from './clients.repository.js';
import { ClientsService, DEFAULT_GRANT_TYPES, newClientSecret } from './clients.service.js';
import { findClientProblems } from './find-client-problems.js';

/** Every process keeps all clients in memory. */
const MAX_CLIENTS_OF_CUSTOMER = 100;

/** What a find of clients asks for. */
interface WantedClients {
  readonly id?: number | null;
  readonly clientId?: string;
  readonly customerId?: number;
}

/** A client to change; with `ifMatch` only if it has a version that the header names. */
interface ChangedClient {
  readonly id: number;
  readonly ifMatch?: string;
}

/** A client with a secret that was just generated; null: none was. */
interface WithSecret {
  readonly client: Client;
  readonly clientSecret: string | null;
}

/** Lets administrators manage the client applications of their customer, and operators all of them. */
@Injectable()
export class ClientAdministrationService {
  constructor(
    private readonly database: Database,
    private readonly administration: AdministrationService,
    private readonly clients: ClientsService,
    private readonly repository: ClientsRepository,
    private readonly accounts: AccountsService,
    private readonly proofs: ProofsService,
    private readonly audit: AuditService,
    private readonly clock: Clock,
  ) {}

  /** Lists a page of clients, in the order of their ids. */
  async list(caller: Caller, { customerId, ...wanted }: WantedClients, portion: Portion): Promise<Client[]> {
    return await this.repository.findPage({ reach: await this.administration.reachOfFind(caller, customerId), ...wanted }, portion);
  }

  /** @throws DomainError 404 `not_found`, 403 `admin_level_not_sufficient` */
  async get(caller: Caller, id: number): Promise<Client> {
    const client = await this.repository.findWithin(await this.administration.reachOfId(caller), id);
    if (!client) throw unknown(id);
    return client;
  }

  /**
   * Registers a client, with a generated secret if it is confidential. One that acts as a user needs a confirmation.
   * @throws DomainError 400 `validation_failed`, 403 `admin_level_not_sufficient`, `operator_only`, `confirmation_required`, 409 `client_id_reserved`,
   * `client_id_taken`, `too_many_clients`
   */
  async create(caller: Caller, { customerId: named, ...input }: CreateClientDto): Promise<WithSecret> {
    const customerId = await this.administration.customerOfNew(caller, named);
    const { clientId = `client-${randomUUID()}`, grantTypes = [...DEFAULT_GRANT_TYPES] } = input;
    if (isReservedClientId(clientId))
      throw clientsErrors.client_id_reserved(`The client_id "${clientId}" is reserved for the service itself.`);
    const blank = { postLogoutRedirectUris: [], serviceUserId: null, secretHash: null, firstParty: false, framedConsent: false };
    try {
      return await this.clients.changeWithNotice(async () => {
        await this.database.lock(`clients of customer ${customerId}`);
        if ((await this.repository.countOfCustomer(customerId)) >= MAX_CLIENTS_OF_CUSTOMER) {
          throw clientsErrors.too_many_clients(`A customer has at most ${MAX_CLIENTS_OF_CUSTOMER} client applications.`);
        }
        const isConfidential = input.confidential ?? grantTypes.includes('client_credentials');
        const before = { ...blank, clientId, customerId, grantTypes, requirePkce: !isConfidential };
        return await this.save(caller, before, { ...input, confidential: isConfidential }, 'client.create');
      });
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
      throw clientsErrors.client_id_taken(`The client_id "${clientId}" is in use.`);
    }
  }

  /**
   * Changes a client. One that becomes confidential gets a secret, which needs a confirmation, and one that becomes public loses it.
   * @throws DomainError like `create`, and 404 `not_found`, 412 `precondition_failed`
   */
  async update(caller: Caller, { id, ifMatch, ...changes }: ClientChangesDto & ChangedClient): Promise<WithSecret> {
    return await this.clients.changeWithNotice(async () => {
      const before = await this.lock(caller, { id, ifMatch });
      return await this.save(caller, before, changes, 'client.update');
    });
  }

  /**
   * Generates a new secret of a confidential client; the previous one stays valid for `keepOldSeconds`.
   * @throws DomainError 400 `client_is_public`, and like `update`
   */
  async rotateSecret(caller: Caller, { keepOldSeconds = 0, ...changed }: ChangedClient & { readonly keepOldSeconds?: number }) {
    return await this.database.transaction(async () => {
      const { id, clientId, customerId } = await this.lock(caller, changed);
      await this.proofs.requireAtApi(caller, 'clientSecret');
      const oldSecretEndsAt = keepOldSeconds > 0 ? new Date(this.clock.now().getTime() + keepOldSeconds * 1_000) : null;
      const clientSecret = await this.clients.rotateSecret(clientId, oldSecretEndsAt);
      await this.audit.recorderOf(caller)('client.rotate_secret', `client:${clientId}`, customerId);
      return { id, clientId, clientSecret, oldSecretEndsAt };
    });
  }

  /** Deletes a client and its authorizations, which ends their tokens. Throws like `update`, but needs no confirmation. */
  async delete(caller: Caller, changed: ChangedClient): Promise<void> {
    await this.database.transaction(async () => {
      const { clientId, customerId } = await this.lock(caller, changed);
      await this.clients.remove(clientId);
      await this.audit.recorderOf(caller)('client.remove', `client:${clientId}`, customerId);
    });
  }

  /**
   * What a change of a first-party client could reach is not limited to one customer, nor is what one could reach that acts as a user of another
   * customer; a secret is as good as its service user.
   */
  private async lock(caller: Caller, { id, ifMatch }: ChangedClient): Promise<Client> {
    const { clientId } = await this.get(caller, id);
    const client = await this.repository.lockByClientId(clientId);
    if (!client) throw unknown(id);
    requireMatch(ifMatch, client, `client application ${id}`);
    if (client.firstParty || client.framedConsent)
      await this.administration.requireOperator(caller, 'First-party applications may be changed');
    if (await this.clients.actsForOtherCustomer(client))
      await this.administration.requireOperator(caller, 'Applications that act as a user of another customer may be changed');
    const serviceUser = client.serviceUserId === null ? null : await this.accounts.findById(client.serviceUserId);
    if (serviceUser) requireRank(caller, serviceUser, `change the application that acts as user ${serviceUser.id}`);
    return client;
  }

  private async save(
    caller: Caller,
    before: Partial<Client> & Pick<Client, 'clientId' | 'customerId' | 'secretHash'>,
    { confidential = before.secretHash !== null, ...changes }: ClientChangesDto,
    action: string,
  ): Promise<WithSecret> {
    if (changes.firstParty || changes.framedConsent)
      await this.administration.requireOperator(caller, 'firstParty and framedConsent may be set');
    const becomesPublic = !confidential && before.secretHash !== null;
    const after = { ...before, ...(becomesPublic && { requirePkce: true }), ...defined(changes) } as Client; // RFC 9700 section 2.1.1
    refuseInvalid(findClientProblems({ ...after, hasServiceUser: after.serviceUserId !== null, confidential }));
    if (changes.serviceUserId) await this.checkServiceUser(caller, changes.serviceUserId, before.customerId);
    if (before.serviceUserId || after.serviceUserId) await this.proofs.requireAtApi(caller, 'actingClient');
    const clientSecret = confidential && before.secretHash === null ? newClientSecret() : null;
    if (clientSecret && before.id !== undefined) await this.proofs.requireAtApi(caller, 'clientSecret'); // as good as rotating it
    const secretHash = clientSecret ? sha256(clientSecret) : confidential ? before.secretHash : null;
    const previous = confidential ? {} : { previousSecretHash: null, previousSecretEndsAt: null };
    const client = await this.repository.save({ ...after, ...previous, secretHash });
    if (client.version !== before.version) await this.audit.recorderOf(caller)(action, `client:${client.clientId}`, client.customerId);
    return { client: (await this.repository.findByClientId(client.clientId)) ?? client, clientSecret };
  }

  private async checkServiceUser(caller: Caller, id: number, customerId: number | null): Promise<void> {
    const user = await this.accounts.findById(id);
    const isKnown = user && user.kind !== 'sender' && !user.disabledAt && (customerId ?? user.customerId) === user.customerId;
    if (!isKnown) throw invalidInput({ path: 'serviceUserId', code: 'not_found', message: `there is no active user ${id}` });
    requireRank(caller, user, `let an application act as user ${id}`);
  }
}

const unknown = (id: number) => generalErrors.not_found(`The client application ${id} does not exist.`);
