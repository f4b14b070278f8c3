import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { EmailInstructionDto } from '../../src/modules/subscriptions/instructions/email/email-instruction.dto.js';
import { EmailInstructionService } from '../../src/modules/subscriptions/instructions/email/email-instruction.service.js';
import type { Attempt } from '../../src/modules/subscriptions/instructions/instruction.js';
import { SubscriptionLogsRepository } from '../../src/modules/subscriptions/logs/subscription-logs.repository.js';
import { ReplaysService } from '../../src/modules/subscriptions/runs/replays.service.js';
import { createTestDatabase, type TestDatabase } from '../support/database/test-database.js';
import { eventually } from '../support/eventually.js';
import { type MailServer, startMailServer } from '../support/subscriptions/mail-server.js';
import {
  aSubscriber,
  aSubscription,
  happen,
  logsOf,
  type RunStage,
  runsOf,
  type Subscriber,
  startStage,
} from '../support/subscriptions/run-stage.js';

const instruction: EmailInstructionDto = {
  type: 'email',
  template: 'releaseRequest',
  to: [{ recipient: ':user.email' }, { recipient: 'bob@example.org', language: 'de' }, { recipient: 'eve@example.org' }],
};

let database: TestDatabase;
let server: MailServer;
let stage: RunStage;
let ada: Subscriber;
let subscription: number;
/** Whom the mail server refuses, and how. */
let refused: Map<string, number>;

beforeEach(async () => {
  refused = new Map();
  server = await startMailServer({
    onRcptTo: ({ address }, _session, done) => {
      const responseCode = refused.get(address);
      done(responseCode ? Object.assign(new Error('not now'), { responseCode }) : null);
    },
  });
  database = await createTestDatabase();
  const answer = async (attempt: Attempt) => await stage.process.get(EmailInstructionService).run(attempt as Attempt<EmailInstructionDto>);
  stage = await startStage({ database, answer, retryScheduleSeconds: [10, 100], smtpUrl: `smtp://${server.host}` });
  ada = await aSubscriber(stage);
  subscription = await aSubscription(stage, { by: ada, instructions: [instruction] });
});
afterEach(async () => {
  await stage.close();
  await server.close();
  await database.drop();
});

const stateIs = async (state: string) => await eventually(async () => (await runsOf(stage))[0]?.state === state);
const ids = () =>
  server.mails.map(
    ({ envelope, headers }) => `${envelope.to.join()} ${headers['message-id']?.replace(/^<msg_\w+\.(\d)@localhost>$/, '$1')}`,
  );

describe('an e-mail instruction', () => {
  it('reaches all recipients by the mail server, each in their language', async () => {
    await happen(stage, ada);
    await stateIs('succeeded');
    expect(ids().sort()).toEqual(['acme@example.org 1', 'bob@example.org 2', 'eve@example.org 3']);
    expect(server.mails.find(({ envelope }) => envelope.to[0] === 'bob@example.org')?.headers).toMatchObject({
      subject: 'Freigabe erbeten: Mediencontainer Nr. 7',
      'content-language': 'de',
    });
    expect(await logsOf(stage)).toMatchObject([{ type: 'email', statusCode: 250, reason: null }]);
  });

  it('is repeated only for recipients who have not received it', async () => {
    refused.set('bob@example.org', 451);
    await happen(stage, ada);
    await stateIs('waiting');
    expect(ids().sort()).toEqual(['acme@example.org 1', 'eve@example.org 3']);
    stage.pass(20);
    await eventually(async () => (await logsOf(stage)).length === 2);
    await stateIs('waiting');
    expect(server.mails).toHaveLength(2);
    refused.clear();
    stage.pass(200);
    await stateIs('succeeded');
    expect(ids().sort()).toEqual(['acme@example.org 1', 'bob@example.org 2', 'eve@example.org 3']);
    expect((await logsOf(stage)).map(({ statusCode, reason }) => [statusCode, reason])).toEqual([
      [451, 'mail server refused: 451 not now'],
      [451, 'mail server refused: 451 not now'],
      [250, null],
    ]);
  });

  it('reaches all recipients again after a replay', async () => {
    await happen(stage, ada);
    await stateIs('succeeded');
    const [entry] = (await stage.process.get(SubscriptionLogsRepository).findNewest([subscription], { limit: 1 })).get(subscription) ?? [];
    const log = await stage.process.get(SubscriptionLogsRepository).find(subscription, entry?.id ?? 0);
    if (!log) throw new Error('There is no log.');
    await stage.process.get(ReplaysService).start(log);
    await eventually(() => server.mails.length === 6);
    await stateIs('succeeded');
    expect(new Set(server.mails.map(({ headers }) => headers['message-id'])).size).toBe(3);
  });

  it('leaves no text in the log, and no plain text in the database', async () => {
    await happen(stage, ada);
    await stateIs('succeeded');
    const [entry] = (await stage.process.get(SubscriptionLogsRepository).findNewest([subscription], { limit: 1 })).get(subscription) ?? [];
    expect(entry?.payload).toEqual({
      to: ['acme@example.org', 'bob@example.org', 'eve@example.org'],
      subject: 'Release requested: Media container no. 7',
      template: 'releaseRequest',
    });
    expect(JSON.stringify(await stage.db.query('SELECT payload FROM subscription_logs').then(({ rows }) => rows))).not.toContain(
      'bob@example.org',
    );
  });
});
