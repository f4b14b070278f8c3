import { Injectable } from '@nestjs/common';
import { SecretBox } from '../../../shared/secrets/index.js';
import type { Instruction } from './instruction.js';
import { RecentlyOpened } from './recently-opened.js';

const INSTRUCTIONS = 'subscription instructions';
const SIGNING_SECRET = 'subscription signing secret';
const LOGGED_PAYLOAD = 'subscription log';
const RESULTS = 'subscription results';

/** What subscriptions keep of their secrets: encrypted in the database, so that a copy of it gives nothing away. */
@Injectable()
export class InstructionVault {
  private readonly instructions: RecentlyOpened<readonly Instruction[]>;
  private readonly signingSecrets: RecentlyOpened<string>;

  constructor(private readonly box: SecretBox) {
    this.instructions = new RecentlyOpened((sealed) => JSON.parse(box.open(INSTRUCTIONS, sealed)) as Instruction[]);
    this.signingSecrets = new RecentlyOpened((sealed) => box.open(SIGNING_SECRET, sealed));
  }

  sealInstructions(instructions: readonly Instruction[]): string {
    return this.box.seal(INSTRUCTIONS, JSON.stringify(instructions));
  }

  openInstructions(sealed: string): readonly Instruction[] {
    return this.instructions.get(sealed);
  }

  /** `whsec_…` */
  sealSigningSecret(secret: string): string {
    return this.box.seal(SIGNING_SECRET, secret);
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
    return this.box.seal(RESULTS, JSON.stringify(results));
  }

  openResults(sealed: string | null): Record<string, unknown> {
    return sealed === null ? {} : (JSON.parse(this.box.open(RESULTS, sealed)) as Record<string, unknown>);
  }
}
