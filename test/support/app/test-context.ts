import { type INestApplicationContext, Inject, Module, type OnModuleInit, type Type } from '@nestjs/common';
import { ModuleRef, NestFactory } from '@nestjs/core';
import { AppModule } from '../../../src/app.module.js';
import { IsolationService } from '../../../src/modules/converter/tools/isolation.service.js';
import { ToolboxService } from '../../../src/modules/converter/tools/toolbox.service.js';
import { type Config, loadConfig } from '../../../src/shared/config/index.js';
import { createLog, type Log, nestLogger } from '../../../src/shared/logging/index.js';
import { createTestDatabase, type TestDatabase } from '../database/test-database.js';

/** Any provider of any module. */
type Get = <T>(type: abstract new (...args: never[]) => T) => T;

/** The service's modules without a web server: what one process of the service is, for tests of what stands behind the routes. */
export interface TestContext {
  readonly context: INestApplicationContext;
  readonly config: Config;
  readonly database: TestDatabase;
  readonly get: Get;
  /** Drops the database too, unless it was handed in. */
  close(): Promise<void>;
}

export type TestContextOptions = Partial<Config> & {
  readonly database?: TestDatabase;
  readonly log?: Log;
  /** Registers what has to be there when the process starts: job handlers, listeners. */
  readonly prepare?: (get: Get) => void;
};

const PREPARE = 'test:prepare';

/** The sandbox and the programs of this machine are looked for once in a file of tests: that takes longer than many tests. */
let machine: { readonly isolation: IsolationService; readonly toolbox: ToolboxService } | null = null;

function shareMachine(get: Get, overrides: Partial<Config>): void {
  const [isolation, toolbox] = [get(IsolationService), get(ToolboxService)];
  if (overrides.dataDir !== undefined || overrides.converterIsolation !== undefined || overrides.converterReads !== undefined) return;
  if (!machine) machine = { isolation, toolbox };
  else {
    const { isolation: sharedIsolation, toolbox: sharedToolbox } = machine;
    Object.assign(isolation, { find: callOf(sharedIsolation, 'find') });
    Object.assign(toolbox, { contents: callOf(sharedToolbox, 'contents') });
  }
}

const callOf = (service: object, method: string) => () => (Reflect.get(service, method) as () => unknown).call(service);

@Module({})
class PreparationModule implements OnModuleInit {
  constructor(
    private readonly modules: ModuleRef,
    @Inject(PREPARE) private readonly prepare: (get: Get) => void,
  ) {}

  onModuleInit(): void {
    this.prepare((type) => this.modules.get(type as Type, { strict: false }));
  }
}

export async function startTestContext(options: TestContextOptions = {}): Promise<TestContext> {
  const { database: given, log: ownLog, prepare = () => {}, ...overrides } = options;
  const database = given ?? (await createTestDatabase());
  const log = ownLog ?? createLog({ level: process.env.TEST_LOG_LEVEL ?? 'silent', service: 'test' });
  const defaults = loadConfig({ APP_SECRET: 'a secret for tests only, long enough' });
  const config: Config = { ...defaults, databaseUrl: database.url, rateLimit: 'off', rateLimits: null, worker: 'off', ...overrides };
  const prepareAll: typeof prepare = (get) => {
    shareMachine(get, overrides);
    prepare(get);
  };
  const root = {
    module: PreparationModule,
    imports: [AppModule.for(config, log)],
    providers: [{ provide: PREPARE, useValue: prepareAll }],
  };
  const context = await NestFactory.createApplicationContext(root, { logger: nestLogger(log), abortOnError: false });
  return {
    context,
    config,
    database,
    get: (type) => context.get(type as Type, { strict: false }),
    close: async () => {
      await context.close();
      if (!given) await database.drop();
    },
  };
}
