import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { findPort } from '../../src/process/find-port.js';
import { type RunningProgram, spawnProgram, startProgram } from '../support/app/program.js';
import { useProgramFolder } from '../support/app/program-folder.js';
import { eventually } from '../support/eventually.js';
import { aFile, call, type UploadDocument } from '../support/media/uploads.js';
import { withRandom } from '../support/random.js';

const KILLS = 9;
const CLIENTS = 6;
/** What a process has under way at most, and may have sent when it dies. */
const IN_FLIGHT = 256;
const LONG_MS = 300_000;
/** A start takes 1 to 3 s, a lost PostgreSQL is back within 2, what a dead process had is taken over within 10; more on a busy machine. */
const MAX_WAIT_MS = 60_000;
/** Kills come that soon after events begin to flow again. */
const WITHIN_MS = 1_500;

const folder = useProgramFolder();

/** Where events are sent: takes its time, sometimes refuses, and notes the message id of each that it accepted by the message of its cause. */
class Receiver {
  readonly arrived = new Map<string, string[]>();
  readonly refused = new Set<string>();
  private secret = '';
  private readonly server: Server;

  constructor(private readonly random: () => number) {
    this.server = createServer(async (request, response) => {
      const body = await text(request).catch(() => null); // null: the sender died
      await new Promise((resolve) => setTimeout(resolve, this.random() * 20)); // others are under way meanwhile
      if (body !== null) response.writeHead(this.accept(request, body) ? 204 : 500).end();
    });
  }

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/`;
  }

  trust(secret: string): void {
    this.secret = secret;
  }

  close(): void {
    this.server.closeAllConnections();
    this.server.close();
  }

  private accept({ headers }: IncomingMessage, body: string): boolean {
    const id = String(headers['webhook-id']);
    const { payload } = new Webhook(this.secret).verify(body, headers as Record<string, string>) as { payload: { message: string } };
    if (this.random() < 0.1 && !this.refused.has(id)) return !this.refused.add(id);
    this.arrived.set(payload.message, [...(this.arrived.get(payload.message) ?? []), id]);
    return true;
  }
}

/** The service of the test, started again whenever it was killed. */
class Service {
  private constructor(
    private program: RunningProgram,
    private readonly env: Record<string, string>,
  ) {}

  static async start(): Promise<Service> {
    const port = String(await findPort('127.0.0.1', 0));
    const env = { DATA_DIR: folder.dataDir, PORT: port, STORAGE_PORT: '0', RATE_LIMIT: 'off', EGRESS_ALLOWLIST: '127.0.0.1' };
    const settings = { ...env, RETRY_SCHEDULE_SECONDS: Array(20).fill(1).join(','), LOG_LEVEL: 'warn' };
    return new Service(await startProgram({ env: settings }), settings);
  }

  get url(): string {
    return this.program.url;
  }

  async kill(victim: 'service' | 'postgres'): Promise<void> {
    if (victim === 'postgres') return void process.kill(folder.serverPid ?? Number.NaN, 'SIGKILL');
    await this.program.end('SIGKILL');
    this.program = await startProgram({ env: this.env });
  }

  get lastLines(): string {
    const { stdout, stderr } = this.program.output;
    return `${stdout.slice(-5_000)}${stderr.slice(-1_000)}`;
  }

  async stop(): Promise<void> {
    await this.program.end();
  }

  /** The token of the demo user; its lifetime is longer than the test. */
  async token(): Promise<string> {
    const command = [process.execPath, 'scripts/run.mjs', 'admin/main.js', 'token', '--user', this.program.login.email, '--client', 'demo'];
    const env = { DATA_DIR: folder.dataDir, PUBLIC_URL: this.url, ACCESS_TOKEN_TTL_SECONDS: '3600' };
    const program = spawnProgram({ command, env });
    await program.ended;
    return (JSON.parse(program.output.stdout) as { access_token: string }).access_token;
  }
}

async function ok<Body>(answer: Promise<{ status: number; body: Body }>): Promise<Body> {
  const { status, body } = await answer;
  if (status >= 300) throw new Error(`${status}: ${JSON.stringify(body)}`);
  return body;
}

describe('with kill -9 of the service and of PostgreSQL at random moments', () => {
  it(
    'every acknowledged event arrives, under one message id, and hardly one twice',
    async () =>
      await withRandom(async (random) => {
        const receiver = new Receiver(random);
        const service = await Service.start();
        const token = await service.token();
        const post = async <Body>(path: string, body: object) => await ok(call<Body>(`${service.url}/v5/${path}`, { token, body }));
        const { processed } = await post<UploadDocument>('s3/createUpload', { payload: [aFile()] });
        const instructions = [{ type: 'https', url: await receiver.listen() }];
        const subscription = { flag: 0, name: 'event:releaseRequest', instructions };
        const { id, signingSecret } = await post<{ id: number; signingSecret: string }>('subscriptions', subscription);
        receiver.trust(signingSecret);

        const acknowledged: string[] = [];
        let killing = true;
        /** Causes one event after the other; a cause that was not acknowledged may be lost, and is not repeated. */
        const client = async () => {
          while (killing) {
            const message = randomUUID();
            const caused = post(`mediacontainer/${processed[0]?.id}/releaseRequest`, { message });
            await caused.then(
              () => acknowledged.push(message),
              async () => await new Promise((resolve) => setTimeout(resolve, 50)), // the service is away
            );
          }
        };
        const clients = Promise.all(Array.from({ length: CLIENTS }, client));
        for (let kill = 0; kill < KILLS; kill += 1) {
          const before = acknowledged.length;
          await eventually(() => acknowledged.length > before + CLIENTS, MAX_WAIT_MS).catch(({ message }: Error) => {
            throw new Error(`No events after ${kill} kills: ${message}\n${service.lastLines}`);
          });
          await new Promise((resolve) => setTimeout(resolve, random() * WITHIN_MS)); // the moment of the kill, not a wait for anything
          await service.kill(kill % 2 ? 'postgres' : 'service');
        }
        killing = false;
        await clients;

        const lost = () => acknowledged.filter((message) => !receiver.arrived.has(message));
        await eventually(() => lost().length === 0, MAX_WAIT_MS).catch(() => {});
        expect(lost()).toEqual([]);
        const arrivals = [...receiver.arrived.values()];
        expect(arrivals.filter((ids) => new Set(ids).size !== 1)).toEqual([]);
        expect(new Set(arrivals.flat()).size).toBe(arrivals.length);
        expect(arrivals.flat().length - arrivals.length).toBeLessThanOrEqual(KILLS * IN_FLIGHT);
        const { lastExecutedStatus } = await ok(call<{ lastExecutedStatus: number }>(`${service.url}/v5/subscriptions/${id}`, { token }));
        expect([204, 500]).toContain(lastExecutedStatus);
        await service.stop();
        receiver.close();
      }),
    LONG_MS,
  );
});
