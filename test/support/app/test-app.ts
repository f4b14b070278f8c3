import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll } from '@jest/globals';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { type AppOptions, createApp } from '../../../src/app.js';
import { ConsoleClientService } from '../../../src/modules/console/index.js';
import { findPort } from '../../../src/process/find-port.js';
import { type Config, loadConfig } from '../../../src/shared/config/index.js';
import type { Log } from '../../../src/shared/logging/index.js';
import { createTestDatabase, type TestDatabase } from '../database/test-database.js';
import { compareAnswersOf } from '../documents/documented-answers.js';
import { startTestStorage, type TestStorage } from '../storage/storage.js';

/** The service on a port of the system's choosing, with a database of its own unless one is handed in. */
export interface TestApp {
  readonly url: string;
  readonly app: NestExpressApplication;
  readonly config: Config;
  readonly database: TestDatabase;
  close(): Promise<void>;
}

export type TestAppOptions = Partial<Config> & { readonly database?: TestDatabase; readonly log?: Log };

const APP_SECRET = 'a secret for tests only, long enough';

export async function startTestApp(options: TestAppOptions = {}): Promise<TestApp> {
  const { database: given, log, ...overrides } = options;
  const database = given ?? (await createTestDatabase());
  const settings = { databaseUrl: database.url, rateLimit: 'off', rateLimits: null, worker: 'off', ...overrides } as const;
  const { app, config } = await listen(settings, { log });
  return {
    url: config.publicUrl,
    app,
    config,
    database,
    close: async () => {
      (app.getHttpServer() as Server).closeAllConnections();
      await app.close();
      if (!given) await database.drop();
    },
  };
}

/**
 * The service for all tests of a file or a block: it starts before them and ends after them. Its members can be used from the next `beforeAll` on.
 */
export function useTestApp(options: TestAppOptions = {}): TestApp {
  const app = {} as TestApp;
  beforeAll(async () => void Object.assign(app, await startTestApp(options)));
  afterAll(async () => await app.close?.());
  return app;
}

/** The service with an object storage of its own, as `useTestApp`. */
export function useTestAppWithStorage(options: TestAppOptions = {}): { readonly app: TestApp; readonly storage: TestStorage } {
  const [app, storage] = [{} as TestApp, {} as TestStorage];
  beforeAll(async () => {
    Object.assign(storage, await startTestStorage());
    Object.assign(app, await startTestApp({ ...storage.settings, ...options }));
  });
  afterAll(async () => {
    await app.close?.();
    await storage.close?.();
  });
  return { app, storage };
}

/** The address is part of the configuration, so the port is chosen first; another program may take it in between. */
async function listen(
  overrides: Partial<Config>,
  options: AppOptions,
  tries = 5,
): Promise<{ app: NestExpressApplication; config: Config }> {
  const port = await findPort('127.0.0.1', 0);
  const defaults = loadConfig({ PORT: String(port), LOG_LEVEL: process.env.TEST_LOG_LEVEL ?? 'silent', APP_SECRET });
  const config: Config = { ...defaults, ...overrides };
  const app = await createApp(config, options);
  try {
    await app.init();
    await app.get(ConsoleClientService).declare();
    await app.listen(port, '127.0.0.1');
    compareAnswersOf(app.getHttpServer() as Server);
    return { app, config };
  } catch (error) {
    await app.close();
    if (tries <= 1 || (error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    return await listen(overrides, options, tries - 1);
  }
}

/** Where an application really listens, when its PUBLIC_URL names another process. */
export const addressOf = (app: NestExpressApplication): string => `http://127.0.0.1:${(app.getHttpServer().address() as AddressInfo).port}`;
