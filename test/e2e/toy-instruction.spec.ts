import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { ApiProperty, type OpenAPIObject } from '@nestjs/swagger';
import type { Attempt, InstructionKind, InstructionRunner, Outcome } from '../../src/modules/subscriptions/instructions/instruction.js';
import { oneOf, pickMembers, shape, text } from '../../src/modules/subscriptions/instructions/json-rules.js';
import type { TestApp } from '../support/app/test-app.js';
import { eventually } from '../support/eventually.js';
import { problemsOf, subscriptionsOf } from '../support/subscriptions/subscriptions.js';

/** Says something. */
class ToyInstructionDto {
  @ApiProperty({ type: 'string', enum: ['toy'] })
  type: 'toy';

  @ApiProperty({ example: 'hello' })
  words: string;

  @ApiProperty({ required: false })
  password?: string;
}

const attempts: Attempt<ToyInstructionDto>[] = [];

class ToyRunner implements InstructionRunner<ToyInstructionDto> {
  async run(attempt: Attempt<ToyInstructionDto>): Promise<Outcome> {
    attempts.push(attempt);
    if (attempt.instruction.words === 'silence')
      return { succeeded: false, statusCode: 0, reason: 'shy: it says nothing', payload: null, final: true };
    const said = `${attempt.instruction.words}, container ${attempt.values.mediaContainerId}`;
    return { succeeded: true, statusCode: 299, reason: null, payload: { said, password: attempt.instruction.password } };
  }
}

/** All that a new kind adds: one descriptor and its place in the list. */
const toyInstruction: InstructionKind<ToyInstructionDto> = {
  type: 'toy',
  dto: ToyInstructionDto,
  runner: ToyRunner,
  reasons: ['shy'],
  hasPayload: false,
  rule: () => shape({ required: { type: oneOf(['toy']), words: text({ min: 1, max: 10 }) }, optional: { password: text({ max: 10 }) } }),
  normalize: (sent) => pickMembers(sent, ['type', 'words', 'password']),
  targetOf: () => 'toy',
  replaceSecrets: (toy, replace) => ({
    ...toy,
    ...(toy.password !== undefined && { password: String(replace(toy.password, 'password')) }),
  }),
  destinationOf: () => 'toy',
  contentOf: ({ words }) => words,
};

interface Stage {
  readonly app: TestApp;
  readonly mine: ReturnType<typeof subscriptionsOf>;
  readonly document: OpenAPIObject;
  readonly metrics: () => Promise<string>;
  /** A release of the container is asked for. */
  happen(mediaContainerId: number): Promise<unknown>;
}

/** The service with one kind more. The modules are loaded anew: they read the list once, and other tests must not see the toy. */
async function startWithToys(): Promise<Stage> {
  let stage: Stage | undefined;
  await jest.isolateModulesAsync(async () => {
    await import('../../src/process/quiet-runtime-notice.js');
    await import('../support/app/typescript-pages.js');
    const { INSTRUCTION_DESCRIPTORS } = await import('../../src/modules/subscriptions/instructions/index.js');
    (INSTRUCTION_DESCRIPTORS as unknown as object[]).push(toyInstruction);
    const { startTestApp } = await import('../support/app/test-app.js');
    const { aUser } = await import('../support/accounts/scenario.js');
    const { tokenOf } = await import('../support/media/uploads.js');
    const { Database } = await import('../../src/shared/database/index.js');
    const { EventOutboxService } = await import('../../src/shared/events/index.js');
    const { register } = await import('prom-client');
    const { DocumentBuilder, SwaggerModule } = await import('@nestjs/swagger');
    const app = await startTestApp({ worker: 'inline' });
    // The migration that comes with a new kind.
    await app.app.get(Database).query('ALTER TABLE subscription_logs DROP CONSTRAINT subscription_logs_type_check');
    const owner = await aUser(app);
    const event = { name: 'event:releaseRequest', customerId: owner.customerId, method: 'create' } as const;
    stage = {
      app,
      mine: subscriptionsOf(app, await tokenOf(app, owner)),
      metrics: async () => await register.metrics(),
      document: SwaggerModule.createDocument(app.app, new DocumentBuilder().build()),
      happen: async (mediaContainerId) =>
        await app.app
          .get(EventOutboxService)
          .publish({ ...event, payload: { mediaContainerId, requesterId: owner.id, message: 'please' } }),
    };
  });
  if (!stage) throw new Error('The service was not started.');
  return stage;
}

const aToy = (fields: object = {}) => ({ type: 'toy', words: 'hello', ...fields });

describe('a kind of instruction that is one descriptor and one line in the list', () => {
  let stage: Stage;

  beforeAll(async () => {
    stage = await startWithToys();
  });
  afterAll(async () => await stage?.app.close());

  const subscribe = async (mediaContainerId: number, instruction: object) =>
    await stage.mine.made({ name: 'event:releaseRequest', conditions: { payload: { mediaContainerId } }, instructions: [instruction] });
  const loggedOf = async (id: number, count = 1) => {
    await eventually(async () => (await stage.mine.get(id)).body.logs.length === count);
    return (await stage.mine.get(id)).body.logs;
  };

  it('is validated, and named where another type is refused', async () => {
    const create = async (instruction: object) => await stage.mine.create({ instructions: [instruction] });
    expect(problemsOf(await create(aToy({ words: '' })))).toEqual([400, 'validation_failed', ['instructions.0.words min_length']]);
    expect(problemsOf(await create(aToy({ words: 7 })))).toEqual([400, 'validation_failed', ['instructions.0.words type']]);
    const refused = await create({ type: 'ball' });
    expect(problemsOf(refused)).toEqual([400, 'validation_failed', ['instructions.0.type is_in']]);
    expect(JSON.stringify(refused.body)).toContain('api, email, https, toy');
    const { body } = await create(aToy({ colour: 'red' }));
    expect(body).toMatchObject({ instructions: [aToy()], ignored: [{ path: 'instructions.0.colour' }] });
  });

  it('has its secrets masked in answers, kept behind the mask, and refused at another place', async () => {
    const { id, instructions } = await subscribe(1, aToy({ password: 'sesame' }));
    expect(instructions).toEqual([aToy({ password: '********' })]);
    const fields = { name: 'event:releaseRequest', conditions: { payload: { mediaContainerId: 1 } } };
    expect(problemsOf(await stage.mine.create({ ...fields, instructions }))).toEqual([
      ...[400, 'validation_failed'],
      ['instructions.0.password secret_needed'],
    ]);
    expect((await stage.mine.replace(id, { ...fields, instructions })).status).toBe(200);
    await stage.happen(1);
    await loggedOf(id);
    expect(attempts.at(-1)?.instruction).toEqual(aToy({ password: 'sesame' }));
  });

  it('is run in a lane of its own and logged, without its secrets', async () => {
    const { id } = await subscribe(2, aToy({ password: 'sesame' }));
    await stage.happen(2);
    const entry = { type: 'toy', attempt: 1, statusCode: 299, reason: null };
    expect(await loggedOf(id)).toEqual([
      expect.objectContaining({ ...entry, payload: { said: 'hello, container 2', password: '********' } }),
    ]);
    expect((await stage.mine.get(id)).body.lastExecutedStatus).toBe(299);
    expect(attempts.at(-1)).toMatchObject({ attempt: 1, event: { name: 'event:releaseRequest' }, subscription: { id } });
  });

  it('is counted by its type, and its failures by their codes', async () => {
    const { id } = await subscribe(5, aToy({ words: 'silence' }));
    await stage.happen(5);
    expect(await loggedOf(id)).toMatchObject([{ type: 'toy', reason: 'shy: it says nothing' }]);
    const metrics = await stage.metrics();
    expect(metrics).toContain('subscription_attempts_total{type="toy",outcome="failed",reason="shy"} 1');
    expect(metrics).toContain('subscription_attempts_total{type="toy",outcome="succeeded",reason=""}');
  });

  it('is repeated by a replay, and a dry run says when it acts and when not', async () => {
    const { id } = await subscribe(3, aToy());
    await stage.happen(3);
    const [log] = await loggedOf(id);
    expect((await stage.mine.replay(id, log?.id)).status).toBe(200);
    expect(await loggedOf(id, 2)).toMatchObject([{ type: 'toy' }, { type: 'toy' }]);
    const explain = async (mediaContainerId: number) => {
      const { body } = await stage.mine.dryRun({ name: 'event:releaseRequest', method: 'create', payload: { mediaContainerId } });
      return body.find(({ subscriptionId }) => subscriptionId === id);
    };
    expect(await explain(3)).toMatchObject({ matches: true, reasons: [] });
    expect(await explain(4)).toMatchObject({ matches: false, reasons: [expect.anything()] });
  });

  it('is in the OpenAPI document, in what is sent and what is answered', () => {
    const schemas = JSON.parse(JSON.stringify(stage.document.components?.schemas)) as Record<
      string,
      { properties: Record<string, object> }
    >;
    expect(schemas.ToyInstructionDto?.properties).toMatchObject({ words: { example: 'hello' } });
    const reference = { $ref: '#/components/schemas/ToyInstructionDto' };
    for (const name of ['SubscriptionFieldsDto', 'SubscriptionResponse']) {
      expect(schemas[name]?.properties.instructions).toMatchObject({ items: { oneOf: expect.arrayContaining([reference]) } });
    }
  });
});
