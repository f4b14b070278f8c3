import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll } from '@jest/globals';
import { AccountsService } from '../../../src/modules/accounts/index.js';
import {
  type ExecutionControl,
  TranscodingExecutionService,
} from '../../../src/modules/converter/execution/transcoding-execution.service.js';
import type { TranscodingOutcome } from '../../../src/modules/converter/execution/transcoding-outcome.js';
import { InspectionsService } from '../../../src/modules/converter/inspection/inspections.service.js';
import type { ClaimedTranscoding } from '../../../src/modules/converter/transcodings/transcodings.repository.js';
import { BLUEPRINTS } from '../../../src/modules/formats/blueprints/blueprints.js';
import type { Converter, FormatSettings } from '../../../src/modules/formats/index.js';
import { Database } from '../../../src/shared/database/index.js';
import { ObjectStorage } from '../../../src/shared/storage/index.js';
import { makeTestFolder, removeTestFolder } from '../app/test-cluster.js';
import { startTestContext, type TestContext, type TestContextOptions } from '../app/test-context.js';
import { startTestStorage, type TestStorage } from '../storage/storage.js';

/** An original as it is put there; what is left open is that of a film. */
export interface OriginalFile {
  /** A file of this machine. */
  readonly file: string;
  readonly type?: string;
  readonly fileExtension?: string;
  readonly container?: Readonly<Record<string, unknown>>;
  /** Its owner; absent: the customer of the stage. */
  readonly owner?: Owner;
}

/** A customer, and a user of it. */
export interface Owner {
  readonly id: number;
  readonly customerId: number;
}

export interface PlacedOriginal {
  readonly mediaContainerId: number;
  readonly sourceMediaId: number;
  readonly s3Key: string;
}

/** How a job went: its outcome, and how far it said to be on the way. */
export interface Execution {
  readonly outcome: TranscodingOutcome;
  readonly progress: readonly number[];
}

/** Jobs that are worked on without a line: a database, a storage, and a folder for the files of the test. */
export interface ExecutionStage {
  readonly folder: string;
  readonly context: TestContext;
  readonly storage: TestStorage;
  readonly customerId: number;
  /** Another customer. */
  join(customer: string): Promise<Owner>;
  /** A format as a blueprint makes it, with other settings; answers its id. */
  blueprint(key: string, settings?: FormatSettings): Promise<number>;
  format(converter: Converter, settings: FormatSettings): Promise<number>;
  place(original: OriginalFile): Promise<PlacedOriginal>;
  /** Places an original and inspects it, as after its upload, so that its conversions do not measure it again. */
  upload(original: OriginalFile): Promise<PlacedOriginal>;
  run(original: PlacedOriginal, formatId: number, control?: Partial<ExecutionControl>): Promise<Execution>;
  /** Places the original unless it is, runs, and answers the file that was made; fails with what the job says. */
  make(original: OriginalFile | PlacedOriginal, formatId: number): Promise<MadeRendition>;
  /** Folders of jobs of this process. */
  leftovers(): string[];
}

export type Made = Extract<TranscodingOutcome, { kind: 'made' }>;
export interface MadeRendition extends Execution {
  readonly file: string;
  readonly rendition: NonNullable<Made['rendition']>;
  readonly source: Made['source'];
}

const INSERT_FORMAT = `INSERT INTO formats (blueprint_key, name, converter, settings) VALUES ($1, 'Test', $2, $3) RETURNING id`;
const INSERT_CONTAINER = `INSERT INTO media_containers (customer_id, creator_id, type, flag, name, description, tags, license, metadata)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) RETURNING id`;
const INSERT_ITEM = `INSERT INTO media_items
    (media_container_id, customer_id, format_id, type, file_name, file_extension, file_size, status, bucket, s3_key)
  SELECT $1, $2, id, $3, 'original', $4, $5, 'successful', $6, $7 FROM formats WHERE blueprint_key = 'original-' || $3 RETURNING id`;

export const workFolder = (): string => path.join(tmpdir(), `media-delivery-work-${process.getuid?.()}`);

/** For the tests of one file. `tools`: what the operator offers. */
export function useExecutionStage({
  tools = [],
  customer = 'Acme',
  ...options
}: Pick<TestContextOptions, 'worker' | 'prepare'> & {
  tools?: readonly object[];
  customer?: string;
} = {}): ExecutionStage {
  let folder = '';
  let context: TestContext;
  let storage: TestStorage;
  let owner = { id: 0, customerId: 0 };

  beforeAll(async () => {
    folder = makeTestFolder();
    const dataDir = path.join(folder, 'data');
    await mkdir(dataDir);
    await writeFile(path.join(dataDir, 'cli-tools.json'), JSON.stringify(tools));
    storage = await startTestStorage();
    context = await startTestContext({ ...storage.settings, dataDir, ...options });
    owner = await join(customer);
  });
  afterAll(async () => {
    await context.close();
    await storage.close();
    await removeTestFolder(folder);
  });

  const join: ExecutionStage['join'] = async (name) => {
    const accounts = context.get(AccountsService);
    await accounts.declareCustomer({ name });
    const email = `ada@${name.toLowerCase()}.example.org`;
    return await accounts.declareUser({ email, customer: name, firstname: 'Ada', lastname: 'Lovelace' });
  };

  const insert = async (text: string, values: readonly unknown[]): Promise<number> => {
    const row = await context.get(Database).queryOne<{ id: number }>(text, [...values]);
    if (!row) throw new Error('Nothing was inserted.');
    return row.id;
  };

  const format: ExecutionStage['format'] = async (converter, settings) =>
    await insert(INSERT_FORMAT, [`test-${randomUUID()}`, converter, JSON.stringify(settings)]);

  const blueprint: ExecutionStage['blueprint'] = async (key, settings = {}) => {
    const found = BLUEPRINTS.find((one) => one.key === key);
    if (!found) throw new Error(`No blueprint ${key}`);
    const parameters = { ...found.settings.parameters, ...settings.parameters };
    return await format(found.converter, { ...found.settings, ...settings, parameters });
  };

  const place: ExecutionStage['place'] = async ({ file, type = 'video', fileExtension = 'mp4', container = {}, owner: other }) => {
    const { id: creatorId, customerId } = other ?? owner;
    const kept = { type, flag: 0, name: 'Harbour', description: '', tags: [], license: null, metadata: [], ...container };
    const mediaContainerId = await insert(INSERT_CONTAINER, [
      ...[customerId, creatorId, kept.type, kept.flag, kept.name, kept.description, kept.tags],
      ...[kept.license && JSON.stringify(kept.license), JSON.stringify(kept.metadata)],
    ]);
    const s3Key = `uploads/${randomUUID()}`;
    const { size } = await context.get(ObjectStorage).write(s3Key, { file, contentType: 'application/octet-stream' });
    const values = [mediaContainerId, customerId, type, fileExtension, size, context.config.s3Bucket, s3Key];
    return { mediaContainerId, sourceMediaId: await insert(INSERT_ITEM, values), s3Key };
  };

  const upload: ExecutionStage['upload'] = async (original) => {
    const placed = await place(original);
    await context.get(InspectionsService).inspect(placed.sourceMediaId);
    return placed;
  };

  const run: ExecutionStage['run'] = async ({ mediaContainerId, sourceMediaId }, formatId, control = {}) => {
    const progress: number[] = [];
    const job: ClaimedTranscoding = {
      ...{ id: randomUUID(), customerId: owner.customerId, mediaContainerId, sourceMediaId, formatId },
      ...{ priority: 1, attempt: 1, failures: 0, depth: 0 },
    };
    const outcome = await context.get(TranscodingExecutionService).run(job, {
      signal: new AbortController().signal,
      advance: (percent) => void progress.push(percent),
      isClaimed: async () => true,
      ...control,
    });
    return { outcome, progress };
  };

  const make: ExecutionStage['make'] = async (original, formatId) => {
    const execution = await run('s3Key' in original ? original : await place(original), formatId);
    const { outcome } = execution;
    if (outcome.kind !== 'made' || !outcome.rendition) throw new Error(`Nothing was made: ${JSON.stringify(outcome)}`);
    const { rendition, source } = outcome;
    const object = await context.get(ObjectStorage).read(rendition.s3Key);
    if (!object) throw new Error('The rendition is not in the storage.');
    const file = path.join(folder, `made-${randomUUID()}.${rendition.fileExtension}`);
    await writeFile(file, await buffer(object.body));
    return { ...execution, file, rendition, source };
  };

  return {
    get folder() {
      return folder;
    },
    get context() {
      return context;
    },
    get storage() {
      return storage;
    },
    get customerId() {
      return owner.customerId;
    },
    ...{ join, blueprint, format, place, upload, run, make },
    leftovers: () => (existsSync(workFolder()) ? readdirSync(workFolder()).filter((name) => name.includes(`-${process.pid}-`)) : []),
  };
}
