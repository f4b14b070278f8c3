import { Injectable } from '@nestjs/common';
import { Log } from '../../../shared/logging/index.js';
import { UnreadableSecret } from '../../../shared/secrets/index.js';
import { type Principal, PrincipalsService } from '../../accounts/index.js';
import type { Instruction, InstructionType } from '../instructions/instruction.js';
import type { Attempt, Outcome, RunEvent } from '../instructions/instruction-runner.js';
import { InstructionRunners } from '../instructions/instruction-runners.js';
import { InstructionVault } from '../instructions/instruction-vault.js';
import { messageIdOf } from '../instructions/message-id-of.js';
import { FilledTooLong } from '../instructions/placeholders.js';
import type { ClaimedRun } from './claimed-run.js';
import type { EndedTry } from './ended-try.js';

/** Events that lead to further events end here, so that a chain which causes itself does not go on for ever (contract section 9). */
const DEEPEST = 5;

const LOOP: Outcome = {
  succeeded: false,
  statusCode: 508,
  reason: `loop: ${DEEPEST} events led to this one, and the chain ends here`,
  payload: null,
  final: true,
};

/** Somebody shortened the list of instructions meanwhile. */
const NOTHING_LEFT: Outcome = { succeeded: true, statusCode: 0, reason: null, payload: null };

/** Tried again on its schedule: an operator who names the old secret in APP_SECRET_PREVIOUS mends it. */
const UNREADABLE: Outcome = {
  succeeded: false,
  statusCode: 0,
  reason:
    'secrets unreadable: they were encrypted under an APP_SECRET that the service no longer has; replace the subscription, or ask the operator',
  payload: null,
};

/** Tries the present instruction of a run, whatever comes of it. */
@Injectable()
export class InstructionTries {
  constructor(
    private readonly vault: InstructionVault,
    private readonly runners: InstructionRunners,
    private readonly principals: PrincipalsService,
    private readonly log: Log,
  ) {}

  /** Never rejects: a fault of ours is an outcome too, and tried again. */
  async make(run: ClaimedRun): Promise<EndedTry> {
    const begun = performance.now();
    const { type, outcome } = await this.try(run);
    if (!type) return { run, outcome, logged: null };
    const messageId = messageIdOf(run.messageId, run.instruction);
    return { run, outcome, logged: { type, messageId, durationMs: Math.round(performance.now() - begun) } };
  }

  private async try(run: ClaimedRun): Promise<{ type: InstructionType | null; outcome: Outcome }> {
    let type = typeOf(run.lane); // logged when the instructions cannot be opened
    try {
      const instruction = this.vault.openInstructions(run.instructions)[run.instruction];
      if (!instruction) return { type: null, outcome: NOTHING_LEFT };
      type = instruction.type;
      return { type, outcome: await this.run(run, instruction) };
    } catch (err) {
      if (err instanceof FilledTooLong) return { type, outcome: tooLong(err) };
      if (err instanceof UnreadableSecret) {
        this.log.error({ runId: run.id, subscriptionId: run.subscriptionId }, 'the secrets of a subscription cannot be read');
        return { type, outcome: UNREADABLE };
      }
      this.log.error({ err, runId: run.id, subscriptionId: run.subscriptionId }, 'an instruction could not be tried');
      return { type, outcome: internal(err) };
    }
  }

  private async run(run: ClaimedRun, instruction: Instruction): Promise<Outcome> {
    if (run.depth >= DEEPEST) return LOOP;
    const { subscriptionId: id, customerId, lastEditorId, attempts } = run;
    const attempt: Attempt = {
      instruction,
      messageId: messageIdOf(run.messageId, run.instruction),
      attempt: attempts,
      event: eventOf(run),
      subscription: { id, customerId, lastEditorId, signingSecret: this.vault.openSigningSecret(run.signingSecret) },
      values: {
        ...(await this.owner(run, instruction)),
        ...this.vault.openResults(run.results),
        ...(await this.editor(run, instruction)),
        ...run.payload,
      },
    };
    return await this.runners.of(instruction.type).run(attempt);
  }

  /** `:user`, who last wrote the subscription; looked up only for those that name it. */
  private async editor({ lastEditorId }: ClaimedRun, instruction: Instruction): Promise<object> {
    if (!JSON.stringify(instruction).includes(':user')) return {};
    const user = await this.principals.find(lastEditorId);
    return user ? { user: person(user) } : {};
  }

  /** `:owner`, whom the thing belongs to that the event is about, with the address of today; looked up only for those that name it. */
  private async owner({ payload: { ownerId } }: ClaimedRun, instruction: Instruction): Promise<object> {
    if (typeof ownerId !== 'number' || !JSON.stringify(instruction).includes(':owner')) return {};
    const owner = await this.principals.find(ownerId);
    return owner ? { owner: person(owner) } : {};
  }
}

/** The kind of instruction that belongs to a lane (see laneOf). */
function typeOf(lane: string): InstructionType {
  const place = lane.slice(lane.indexOf(' ') + 1);
  return place === 'api' || place === 'email' ? place : 'https';
}

const person = ({ id, email, firstname, lastname }: Principal): object => ({ id, email, firstname, lastname });

const eventOf = (run: ClaimedRun): RunEvent => ({
  id: Number(run.eventId),
  name: run.eventName,
  customerId: run.customerId,
  method: run.method,
  payload: run.payload,
  createdAt: run.eventCreatedAt.toISOString(),
  depth: run.depth,
  rootEventId: run.rootEventId ?? run.eventId,
});

/** Another try would fill in the same. */
const tooLong = ({ message: reason }: FilledTooLong): Outcome => ({ succeeded: false, statusCode: 0, reason, payload: null, final: true });

const internal = (error: unknown): Outcome => ({
  succeeded: false,
  statusCode: 0,
  reason: `internal: ${error instanceof Error ? error.name : 'something'} kept the service from carrying it out`,
  payload: null,
});
