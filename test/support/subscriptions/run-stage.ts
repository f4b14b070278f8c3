import { AccountsService } from '../../../src/modules/accounts/index.js';
import type { Attempt, Instruction, Outcome } from '../../../src/modules/subscriptions/instructions/instruction.js';
import { InstructionRunnersService, laneOf } from '../../../src/modules/subscriptions/instructions/instruction-kinds.js';
import { SubscriptionSecretsService } from '../../../src/modules/subscriptions/instructions/subscription-secrets.service.js';
import { SubscriptionRunsWorker } from '../../../src/modules/subscriptions/runs/subscription-runs.worker.js';
import { Clock, FakeClock } from '../../../src/shared/clock.js';
import { Database } from '../../../src/shared/database/index.js';
import { type DomainEvent, EventOutboxService } from '../../../src/shared/events/index.js';
import { startTestContext, type TestContext, type TestContextOptions } from '../app/test-context.js';
import type { TestDatabase } from '../database/test-database.js';

/** A process of the service whose instructions go to `answer` instead of to the world. */
export interface RunStage {
  readonly process: TestContext;
  readonly db: Database;
  readonly dispatcher: SubscriptionRunsWorker;
  /** Of this process; it stands still. */
  readonly clock: FakeClock;
  /** The tries that began in this process. */
  readonly tries: Attempt[];
  /** Moves the clock and looks what is due now. */
  pass(seconds: number): void;
  close(): Promise<void>;
}

export const DONE: Outcome = { succeeded: true, statusCode: 200, reason: null, payload: null };
export const failed = (statusCode: number, more: Partial<Outcome> = {}): Outcome => ({
  succeeded: false,
  statusCode,
  reason: `status: it answered ${statusCode}`,
  payload: null,
  ...more,
});

type StageOptions = TestContextOptions & {
  readonly database: TestDatabase;
  readonly answer?: (attempt: Attempt) => Promise<Outcome> | Outcome;
};

export async function startStage({ answer = () => DONE, ...options }: StageOptions): Promise<RunStage> {
  const tries: Attempt[] = [];
  const clock = new FakeClock(new Date());
  const run = async (attempt: Attempt) => {
    tries.push(attempt);
    return await answer(attempt);
  };
  const process = await startTestContext({
    worker: 'inline',
    ...options,
    prepare: (get) => {
      get(Clock).now = () => clock.now();
      get(InstructionRunnersService).runnerOf = () => ({ run });
      options.prepare?.(get);
    },
  });
  const dispatcher = process.get(SubscriptionRunsWorker);
  const pass = (seconds: number) => {
    clock.advance(seconds);
    dispatcher.wake('due', 'held');
  };
  return { process, db: process.get(Database), dispatcher, clock, tries, pass, close: async () => await process.close() };
}

/** A user of a customer of this name. */
export async function aSubscriber({ process }: RunStage, name = 'Acme') {
  const accounts = process.get(AccountsService);
  await accounts.declareCustomer({ name });
  const user = { email: `${name.toLowerCase()}@example.org`, customer: name, firstname: 'Ada', lastname: 'Lovelace' };
  return await accounts.declareUser(user);
}

export type Subscriber = Awaited<ReturnType<typeof aSubscriber>>;

/** An https instruction that goes to this host. */
export const to = (host: string): Instruction => ({ type: 'https', url: `https://${host}/` });

interface Wanted {
  readonly by: Subscriber;
  readonly instructions?: readonly Instruction[];
  readonly name?: string;
  readonly flag?: 0 | 2;
  readonly methods?: readonly string[] | null;
  readonly payload?: object | null;
}

/** A subscription; answers its id. */
export async function aSubscription({ process, db }: RunStage, wanted: Wanted): Promise<number> {
  const { by, instructions = [to('hooks.example')], name = 'event:releaseRequest', flag = 0, methods = null, payload = null } = wanted;
  const secrets = process.get(SubscriptionSecretsService);
  const lanes = instructions.map((instruction) => laneOf(by.customerId, instruction));
  const row = await db.queryOne<{ id: number }>(
    `INSERT INTO subscriptions (customer_id, creator_id, last_editor_id, name, flag, methods, payload, instructions, lanes, signing_secret)
     VALUES ($1, $2, $2, $3, $4, $5, $6, $7, $8, $9) RETURNING id`,
    [
      by.customerId,
      by.id,
      name,
      flag,
      methods,
      payload,
      secrets.sealInstructions(instructions),
      lanes,
      secrets.sealSigningSecret('whsec_c2VjcmV0'),
    ],
  );
  if (!row) throw new Error('The subscription was not stored.');
  return row.id;
}

/** A releaseRequest of the subscriber's customer happens. */
export async function happen({ process }: RunStage, { id, customerId }: Subscriber, depth = 0): Promise<DomainEvent> {
  const payload = { mediaContainerId: 7, requesterId: id, message: 'please' };
  return await process.get(EventOutboxService).publish({ name: 'event:releaseRequest', customerId, method: 'create', payload, depth });
}

/** All runs, oldest first. */
export async function runsOf({ db }: RunStage) {
  const { rows } = await db.query<{
    id: string;
    eventId: string;
    subscriptionId: number;
    messageId: string;
    state: string;
    instruction: number;
    attempts: number;
    lockedBy: string | null;
    nextAttemptAt: Date | null;
    finishedAt: Date | null;
  }>(
    `SELECT id, event_id AS "eventId", subscription_id AS "subscriptionId", message_id AS "messageId", state, instruction, attempts,
       locked_by AS "lockedBy", next_attempt_at AS "nextAttemptAt", finished_at AS "finishedAt" FROM subscription_runs ORDER BY id`,
  );
  return rows;
}

/** The whole log, oldest first. */
export async function logsOf({ db }: RunStage) {
  const { rows } = await db.query<{
    id: string;
    subscriptionId: number;
    runId: string;
    instruction: number;
    messageId: string;
    attempt: number;
    type: string;
    payload: string | null;
    statusCode: number;
    reason: string | null;
    durationMs: number;
  }>(
    `SELECT id, subscription_id AS "subscriptionId", run_id AS "runId", instruction, message_id AS "messageId", attempt, type, payload,
       status_code AS "statusCode", reason, duration_ms AS "durationMs" FROM subscription_logs ORDER BY id`,
  );
  return rows;
}

/** Adds this number of simultaneous events of a subscription, without notifications. */
export async function storm({ db }: RunStage, { customerId }: Subscriber, subscriptionId: number, count: number): Promise<void> {
  await db.query(
    `WITH happened AS (
       INSERT INTO events (name, customer_id, method, payload)
       SELECT 'event:releaseRequest', $1, 'create', '{}' FROM generate_series(1, $3) RETURNING id
     )
     INSERT INTO subscription_runs (event_id, subscription_id, message_id, once, state, lane)
     SELECT h.id, s.id, gen_random_uuid(), s.flag = 2, CASE s.flag WHEN 2 THEN 'held' ELSE 'ready' END, s.lanes[1]
     FROM happened h CROSS JOIN subscriptions s WHERE s.id = $2`,
    [customerId, subscriptionId, count],
  );
}
