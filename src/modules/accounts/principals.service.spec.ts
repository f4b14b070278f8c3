import { describe, expect, it } from '@jest/globals';
import type { Database } from '../../shared/database/index.js';
import { PrincipalsService } from './principals.service.js';

describe('the id of a sender', () => {
  it('is drawn again when it is taken', async () => {
    const drawn: unknown[] = [];
    const queryOne = async (_text: string, values: readonly unknown[]) => {
      drawn.push(values.at(-1));
      return drawn.length < 3 ? null : { id: values.at(-1) };
    };
    const { id } = await new PrincipalsService({ queryOne, batched: () => null } as unknown as Database).findOrCreateSender({
      customerId: 1,
    });
    expect(drawn).toHaveLength(3);
    expect(new Set(drawn).size).toBe(3);
    expect(id).toBe(drawn[2]);
  });
});
