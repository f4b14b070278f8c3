import { Injectable } from '@nestjs/common';
import { Database } from '../../../../shared/database/index.js';
import type { EmailInstruction } from '../instruction.js';
import type { Attempt } from '../instruction-runner.js';
import { InstructionVault } from '../instruction-vault.js';

/** Where the try before is looked for. Of a subscription with more tries between two of one mail, somebody gets that mail twice. */
const NEWEST = 1_000;

const FIND_LATEST = `SELECT payload FROM (
    SELECT message_id, payload FROM subscription_logs WHERE subscription_id = $1 ORDER BY id DESC LIMIT ${NEWEST}
  ) AS newest WHERE message_id = $2 LIMIT 1`;

/** What the log keeps of a try of an e-mail instruction. */
export interface EmailLogPayload {
  readonly to: readonly string[];
  /** Null: no mail could be written. */
  readonly subject: string | null;
  readonly template?: string;
  /** Of a try that failed: who has got the mail by now, in this try or in one before. */
  readonly reached?: readonly string[];
}

/** Who got a mail in earlier tries, so that a mail which one of many cannot get does not come to the others again and again. */
@Injectable()
export class ReachedRecipients {
  constructor(
    private readonly database: Database,
    private readonly vault: InstructionVault,
  ) {}

  /** Nobody in the first try, and after one that reached everybody: then somebody asked for a replay, and all get it once more. */
  async find({ attempt, instruction, messageId, subscription }: Attempt<EmailInstruction>): Promise<ReadonlySet<string>> {
    if (attempt === 1 || instruction.to.length === 1) return new Set();
    const latest = await this.database.queryOne<{ payload: string | null }>(FIND_LATEST, [subscription.id, messageId]);
    const payload = latest?.payload ? (this.vault.openPayload(latest.payload) as Partial<EmailLogPayload> | null) : null;
    return new Set(payload?.reached);
  }
}
