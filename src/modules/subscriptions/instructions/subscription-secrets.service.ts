import { Injectable } from '@nestjs/common';
import { SecretBoxService } from '../../../shared/secrets/index.js';
import { LOGGED_PAYLOAD } from '../logs/subscription-log.entity.js';
import { RUN_RESULTS } from '../runs/subscription-run.entity.js';
import { SUBSCRIPTION_INSTRUCTIONS, SUBSCRIPTION_SIGNING_SECRET } from '../subscription.entity.js';
import type { Instruction } from './instruction.js';

/** Cached texts: as many subscriptions as are likely to act at the same time. */
const MAX_CACHED = 500;
/** The longest sealed text that is cached, in characters; longer ones are rare and would fill the memory. */
const MAX_CACHED_LENGTH = 8_192;

/**
 * Encrypts and decrypts the secrets of subscriptions, so that a copy of the database reveals none of them. Each `open…` throws
 * UnreadableSecret when the text was encrypted under an APP_SECRET that the service no longer has.
 */
@Injectable()
export class SubscriptionSecretsService {
  private readonly instructions: RecentlyOpened<readonly Instruction[]>;
  private readonly signingSecrets: RecentlyOpened<string>;

  constructor(private readonly box: SecretBoxService) {
    this.instructions = new RecentlyOpened((sealed) => JSON.parse(box.open(SUBSCRIPTION_INSTRUCTIONS, sealed)) as Instruction[]);
    this.signingSecrets = new RecentlyOpened((sealed) => box.open(SUBSCRIPTION_SIGNING_SECRET, sealed));
  }

  sealInstructions(instructions: readonly Instruction[]): string {
    return this.box.seal(SUBSCRIPTION_INSTRUCTIONS, JSON.stringify(instructions));
  }

  openInstructions(sealed: string): readonly Instruction[] {
    return this.instructions.get(sealed);
  }

  /** `whsec_…` */
  sealSigningSecret(secret: string): string {
    return this.box.seal(SUBSCRIPTION_SIGNING_SECRET, secret);
  }

  openSigningSecret(sealed: string): string {
    return this.signingSecrets.get(sealed);
  }

  sealPayload(payload: unknown): string {
    return this.box.seal(LOGGED_PAYLOAD, JSON.stringify(payload));
  }

  openPayload(sealed: string): unknown {
    return JSON.parse(this.box.open(LOGGED_PAYLOAD, sealed));
  }

  sealResults(results: Readonly<Record<string, unknown>>): string {
    return this.box.seal(RUN_RESULTS, JSON.stringify(results));
  }

  openResults(sealed: string | null): Record<string, unknown> {
    return sealed === null ? {} : (JSON.parse(this.box.open(RUN_RESULTS, sealed)) as Record<string, unknown>);
  }
}

/** Caches the content of sealed texts, because a subscription that acts often opens the same text again and again. */
export class RecentlyOpened<Value> {
  private readonly values = new Map<string, Value>();

  constructor(private readonly open: (sealed: string) => Value) {}

  /** Returns the content of a sealed text. Throws what `open` throws. */
  get(sealed: string): Value {
    const known = this.values.get(sealed);
    if (known !== undefined) return known;
    const value = this.open(sealed);
    if (sealed.length <= MAX_CACHED_LENGTH) this.remember(sealed, value);
    return value;
  }

  private remember(sealed: string, value: Value): void {
    const [oldest] = this.values.keys();
    if (this.values.size >= MAX_CACHED && oldest !== undefined) this.values.delete(oldest);
    this.values.set(sealed, value);
  }
}
