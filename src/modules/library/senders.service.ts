import { Injectable } from '@nestjs/common';
import type { Caller } from '../../shared/auth/index.js';
import { generalErrors } from '../../shared/errors.js';
import { AccountsService, type User } from '../accounts/index.js';
import type { MediaContainer } from '../media/index.js';

/** Finds the sender of one of the containers for which it was prepared; null: none is known, or the caller may not see it. */
export type SenderFinder = (container: MediaContainer) => Pick<User, 'firstname' | 'lastname' | 'email'> | null;

/** Who uploaded media to dropsites: for callers with the scope `api` only (contract section 14.1). */
@Injectable()
export class SendersService {
  constructor(private readonly accounts: AccountsService) {}

  /** Reads the senders of containers in one statement. */
  async prepare({ scopes }: Caller, containers: readonly MediaContainer[]): Promise<SenderFinder> {
    const ids = scopes.has('api') ? containers.flatMap(({ senderId }) => senderId ?? []) : [];
    const users = ids.length > 0 ? await this.accounts.findMany([...new Set(ids)]) : [];
    const byId = new Map(users.map((user) => [user.id, user]));
    return ({ senderId }) => (senderId === null ? null : (byId.get(senderId) ?? null));
  }

  /** Finds users and senders of the caller's customer whose names and address contain all words of a text. Throws `insufficient_scope`. */
  async findIds({ scopes, customerId }: Caller, text: string): Promise<number[]> {
    if (!scopes.has('api')) throw generalErrors.insufficient_scope('Finding media by their sender requires the scope api.');
    return await this.accounts.findIdsByWords(customerId, text.replaceAll('\0', ' '));
  }
}
