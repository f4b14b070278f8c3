import { Injectable } from '@nestjs/common';
import { INSTRUCTION_TOKEN_PREFIX } from '../../../../shared/auth/index.js';
import { Clock } from '../../../../shared/clock.js';
import { SecretBoxService } from '../../../../shared/secrets/index.js';

const PURPOSE = 'instruction token';
/** A call starts at once and times out after 15 s; the rest allows for differing clocks. */
const TTL_SECONDS = 60;

/** The rights of one call of an api instruction. */
export interface InstructionClaims {
  readonly userId: number;
  readonly subscriptionId: number;
  /** The number of events that led to the call, including its own: the depth of events that the call causes. */
  readonly depth: number;
  /** The event with which the chain of the call began; null: unknown, as in tokens of an earlier version. */
  readonly rootEventId?: string | null;
}

/** User, subscription, depth, expiry in Unix milliseconds, first event of the chain. */
type Content = [number, number, number, number, (string | null)?];

/**
 * Tokens for the calls of this service to itself. They are encrypted under APP_SECRET, so that only processes of the service can create and
 * read them; they are not stored.
 */
@Injectable()
export class InstructionTokensService {
  constructor(
    private readonly box: SecretBoxService,
    private readonly clock: Clock,
  ) {}

  /** Issues a token that is valid for 60 s. */
  issue({ userId, subscriptionId, depth, rootEventId }: InstructionClaims): string {
    const expiresAt = this.clock.now().getTime() + TTL_SECONDS * 1_000;
    const sealed = this.box.seal(PURPOSE, JSON.stringify([userId, subscriptionId, depth, expiresAt, rootEventId]));
    return INSTRUCTION_TOKEN_PREFIX + Buffer.from(sealed, 'base64').toString('base64url');
  }

  /** Returns the claims of a token; null: it is forged or has expired. */
  open(token: string): InstructionClaims | null {
    if (!token.startsWith(INSTRUCTION_TOKEN_PREFIX)) return null;
    const sealed = Buffer.from(token.slice(INSTRUCTION_TOKEN_PREFIX.length), 'base64url').toString('base64');
    const opened = this.box.tryOpen(PURPOSE, sealed);
    if (!opened) return null;
    const [userId, subscriptionId, depth, expiresAt, rootEventId = null] = JSON.parse(opened.plain) as Content;
    return expiresAt > this.clock.now().getTime() ? { userId, subscriptionId, depth, ...(rootEventId !== null && { rootEventId }) } : null;
  }
}
