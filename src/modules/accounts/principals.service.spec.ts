import { describe, expect, it } from '@jest/globals';
import type { Database } from '../../shared/database/index.js';
import type { AccountsRepository } from './accounts.repository.js';
import { PrincipalsService } from './principals.service.js';

describe('the id of a sender', () => {
  it('is drawn again when it is taken', async () => {
    const drawn: number[] = [];
    const findOrInsertSender: AccountsRepository['findOrInsertSender'] = async (sender) => {
      drawn.push(sender.id);
      return drawn.length < 3 ? null : sender;
    };
    const database = { batched: () => null } as unknown as Database;
    const principals = new PrincipalsService(database, { findOrInsertSender } as AccountsRepository);
    const { id } = await principals.findOrCreateSender({ customerId: 1 });
    expect(drawn).toHaveLength(3);
    expect(new Set(drawn).size).toBe(3);
    expect(id).toBe(drawn[2]);
  });
});
