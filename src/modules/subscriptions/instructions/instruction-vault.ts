import { Injectable } from '@nestjs/common';
import { SecretBox } from '../../../shared/secrets/index.js';
import type { Instruction } from './instruction.js';

const INSTRUCTIONS = 'subscription instructions';
const SIGNING_SECRET = 'subscription signing secret';
const LOGGED_PAYLOAD = 'subscription log';
const RESULTS = 'subscription results';

/** What subscriptions keep of their secrets: encrypted in the database, so that a copy of it gives nothing away. */
@Injectable()
export class InstructionVault {
  constructor(private readonly box: SecretBox) {}

  sealInstructions(instructions: readonly Instruction[]): string {
    return this.box.seal(INSTRUCTIONS, JSON.stringify(instructions));
  }

  openInstructions(sealed: string): Instruction[] {
    return JSON.parse(this.box.open(INSTRUCTIONS, sealed)) as Instruction[];
  }

  /** `whsec_…` */
  sealSigningSecret(secret: string): string {
    return this.box.seal(SIGNING_SECRET, secret);
  }

  openSigningSecret(sealed: string): string {
    return this.box.open(SIGNING_SECRET, sealed);
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
