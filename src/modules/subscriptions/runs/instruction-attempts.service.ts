import { Injectable } from '@nestjs/common';
import { Log } from '../../../shared/logging/index.js';
import { UnreadableSecret } from '../../../shared/secrets/index.js';
import { continueTrace } from '../../../shared/tracing/index.js';
import { type Principal, PrincipalsService } from '../../accounts/index.js';
import type { Attempt, Instruction, InstructionType, Outcome, RunEvent } from '../instructions/instruction.js';
import { InstructionRunnersService, instructionTypeOf, targetOf } from '../instructions/instruction-kinds.js';
import { FilledTooLong } from '../instructions/placeholders.js';
import { SubscriptionSecretsService } from '../instructions/subscription-secrets.service.js';
import type { ClaimedRun, EndedAttempt } from './claimed-run.js';

/** Chains of events end at this depth, so that a chain that causes itself does not continue for ever (contract section 9). */
const MAX_DEPTH = 5;

const LOOP: Outcome = {
  succeeded: false,
  statusCode: 508,
  reason: `loop: ${MAX_DEPTH} events led to this one, and the chain ends here`,
  payload: null,
  final: true,
};

/** The outcome if the list of instructions has become shorter meanwhile. */
const NOTHING_LEFT: Outcome = { succeeded: true, statusCode: 0, reason: null, payload: null };

/**
 * The outcome if the secrets cannot be decrypted. Further attempts follow the schedule, and succeed once the operator names the old secret in
 * APP_SECRET_PREVIOUS.
 */
const UNREADABLE: Outcome = {
  succeeded: false,
  statusCode: 0,
  reason:
    'secrets unreadable: they were encrypted under an APP_SECRET that the service no longer has; replace the subscription, or ask the operator',
  payload: null,
};

/** Attempts the current instruction of a run. */
@Injectable()
export class InstructionAttemptsService {
  constructor(
    private readonly secrets: SubscriptionSecretsService,
    private readonly runners: InstructionRunnersService,
    private readonly principals: PrincipalsService,
    private readonly log: Log,
  ) {}

  /** Never rejects: a fault of the service is also an outcome, and the instruction is attempted again. */
  async attempt(run: ClaimedRun): Promise<EndedAttempt> {
    const { id, subscriptionId, attempts, lane } = run;
    const attributes = { 'run.id': id, 'subscription.id': subscriptionId, attempt: attempts };
    const name = `instruction ${instructionTypeOf(lane)}`;
    return await continueTrace(run.traceparent, { name, kind: 'consumer', attributes }, async (span) => {
      const ended = await this.attemptInstruction(run);
      span?.add({ status: ended.outcome.statusCode, succeeded: ended.outcome.succeeded });
      return ended;
    });
  }

  private async attemptInstruction(run: ClaimedRun): Promise<EndedAttempt> {
    const startedAt = performance.now();
    const { type, outcome } = await this.tryInstruction(run);
    if (!type) return { run, outcome, logged: null };
    if (!outcome.succeeded) this.logFailure(run, type, outcome);
    const messageId = messageIdOf(run.messageId, run.instruction);
    return { run, outcome, logged: { type, messageId, durationMs: Math.round(performance.now() - startedAt) } };
  }

  /** Logs a failure for the operator; the customer finds every attempt in the log of the subscription. */
  private logFailure(
    { id: runId, subscriptionId, lane, attempts }: ClaimedRun,
    type: InstructionType,
    { statusCode, reason }: Outcome,
  ): void {
    this.log.warn(
      { operation: type, host: targetOf(lane), status: statusCode, reason, attempt: attempts, runId, subscriptionId },
      'an instruction failed',
    );
  }

  private async tryInstruction(run: ClaimedRun): Promise<{ type: InstructionType | null; outcome: Outcome }> {
    let type = instructionTypeOf(run.lane); // logged if the instructions cannot be decrypted
    try {
      const instruction = this.secrets.openInstructions(run.instructions)[run.instruction];
      if (!instruction) return { type: null, outcome: NOTHING_LEFT };
      type = instruction.type;
      return { type, outcome: await this.run(run, instruction) };
    } catch (err) {
      if (err instanceof FilledTooLong) return { type, outcome: tooLong(err) };
      if (err instanceof UnreadableSecret) {
        this.log.error(
          { operation: 'decrypt', runId: run.id, subscriptionId: run.subscriptionId },
          'the secrets of a subscription cannot be read',
        );
        return { type, outcome: UNREADABLE };
      }
      this.log.error({ err, runId: run.id, subscriptionId: run.subscriptionId }, 'an instruction could not be attempted');
      return { type, outcome: internal(err) };
    }
  }

  private async run(run: ClaimedRun, instruction: Instruction): Promise<Outcome> {
    if (run.depth >= MAX_DEPTH) return LOOP;
    const { subscriptionId: id, customerId, lastEditorId, attempts } = run;
    const attempt: Attempt = {
      instruction,
      messageId: messageIdOf(run.messageId, run.instruction),
      attempt: attempts,
      event: toRunEvent(run),
      subscription: { id, customerId, lastEditorId, signingSecret: this.secrets.openSigningSecret(run.signingSecret) },
      values: {
        ...(await this.findOwner(run, instruction)),
        ...this.secrets.openResults(run.results),
        ...(await this.findEditor(run, instruction)),
        ...run.payload,
      },
    };
    return await this.runners.runnerOf(instruction.type).run(attempt);
  }

  /** The value of `:user`, the last editor of the subscription; looked up only for instructions that contain it. */
  private async findEditor({ lastEditorId }: ClaimedRun, instruction: Instruction): Promise<object> {
    if (!JSON.stringify(instruction).includes(':user')) return {};
    const user = await this.principals.find(lastEditorId);
    return user ? { user: toPerson(user) } : {};
  }

  /** The value of `:owner`, the owner of the object of the event, with the current address; looked up only for instructions that contain it. */
  private async findOwner({ payload: { ownerId } }: ClaimedRun, instruction: Instruction): Promise<object> {
    if (typeof ownerId !== 'number' || !JSON.stringify(instruction).includes(':owner')) return {};
    const owner = await this.principals.find(ownerId);
    return owner ? { owner: toPerson(owner) } : {};
  }
}

/**
 * The id of the message that one instruction sends for one event, the same in all attempts (Standard Webhooks: `webhook-id`). Each instruction of a
 * run has its own id, so that a receiver of two of them does not take the second for a repetition.
 */
export function messageIdOf(runMessageId: string, instruction: number): string {
  const id = `msg_${runMessageId.replaceAll('-', '')}`;
  return instruction === 0 ? id : `${id}_${instruction + 1}`;
}

const toPerson = ({ id, email, firstname, lastname }: Principal): object => ({ id, email, firstname, lastname });

const toRunEvent = (run: ClaimedRun): RunEvent => ({
  id: Number(run.eventId),
  name: run.eventName,
  customerId: run.customerId,
  method: run.method,
  payload: run.payload,
  createdAt: run.eventCreatedAt.toISOString(),
  depth: run.depth,
  rootEventId: run.rootEventId ?? run.eventId,
});

/** The outcome if the filled values are too long; it is final, because another attempt would insert the same values. */
const tooLong = ({ message: reason }: FilledTooLong): Outcome => ({ succeeded: false, statusCode: 0, reason, payload: null, final: true });

const internal = (error: unknown): Outcome => ({
  succeeded: false,
  statusCode: 0,
  reason: `internal: ${error instanceof Error ? error.name : 'something'} kept the service from carrying it out`,
  payload: null,
});
