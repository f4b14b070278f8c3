import { Injectable } from '@nestjs/common';
import { INSTRUCTION_TOKEN_PREFIX } from '../../../../shared/auth/index.js';
import { StartupError } from '../../../../shared/errors/index.js';
import { SecretBox } from '../../../../shared/secrets/index.js';
import { Clock } from '../../../../shared/time/index.js';

const PURPOSE = 'instruction token';
/** A call is made at once, and given up after 15 s; the rest is for clocks of machines that differ. */
const TTL_SECONDS = 60;

/** What one call of an api instruction may do, and in whose name. */
export interface InstructionClaims {
  readonly userId: number;
  readonly subscriptionId: number;
  /** How many events led to the call, its own included: the depth of events that it causes. */
  readonly depth: number;
}

/**
 * Tokens for the calls that this service makes to itself. They are encrypted under APP_SECRET, so that any process of the service reads
 * them, and nobody else can make one; nothing is stored.
 */
@Injectable()
export class InstructionTokens {
  constructor(
    private readonly box: SecretBox,
    private readonly clock: Clock,
  ) {}

  /** Good for 60 s. */
  issue({ userId, subscriptionId, depth }: InstructionClaims): string {
    const expiresAt = this.clock.now().getTime() + TTL_SECONDS * 1_000;
    const sealed = this.box.seal(PURPOSE, JSON.stringify([userId, subscriptionId, depth, expiresAt]));
    return INSTRUCTION_TOKEN_PREFIX + Buffer.from(sealed, 'base64').toString('base64url');
  }

  /** Null: it was not made here, was tampered with, or has expired. */
  open(token: string): InstructionClaims | null {
    const plain = token.startsWith(INSTRUCTION_TOKEN_PREFIX) ? this.decrypt(token.slice(INSTRUCTION_TOKEN_PREFIX.length)) : null;
    if (plain === null) return null;
    const [userId, subscriptionId, depth, expiresAt] = JSON.parse(plain) as [number, number, number, number];
    return expiresAt > this.clock.now().getTime() ? { userId, subscriptionId, depth } : null;
  }

  private decrypt(sealed: string): string | null {
    try {
      return this.box.open(PURPOSE, Buffer.from(sealed, 'base64url').toString('base64'));
    } catch (error) {
      if (error instanceof StartupError) return null; // how the box says that it was sealed by somebody else
      throw error;
    }
  }
}
