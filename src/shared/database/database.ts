import { createHash } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import type { Pool, PoolClient, QueryResult, QueryResultRow } from 'pg';
import {
  type AfterQueryEvent,
  DataSource,
  type EntityManager,
  type EntityMetadata,
  type EntityTarget,
  type ObjectLiteral,
  type QueryRunner,
  type Repository,
} from 'typeorm';
import { ContextVariable } from '../context-variable.js';
import { Log } from '../logging/index.js';
import { BatchedStatement, type StatementForMany } from './batched-statement.js';
import { CONNECT_TIMEOUT_MS, isForeignKeyViolation, MAX_TRANSACTIONS, PostgresDriver } from './connection.js';
import { isReadOnly } from './primary-client.js';
import { TransactionPlaces } from './transaction-places.js';

/** The state of a transaction, shared by the calls inside it. */
interface Scope {
  readonly manager: EntityManager;
  /** Part of the transaction failed, so it must be rolled back even if the error was caught. */
  failed: boolean;
  /** The transaction was committed or rolled back; its connection is used by others. */
  ended: boolean;
  /** Callbacks that run after the commit. */
  readonly afterCommit: (() => void)[];
}

/** SQLSTATE disk_full. */
const DISK_FULL = '53100';

const PROBE = `SELECT current_setting('transaction_read_only') = 'off' AS "isWritable", clock_timestamp() AS now`;
/** Load balancers wait about as long for a health check. */
const PROBE_TIMEOUT_MS = 2_000;

const statementNames = new Map<string, string>();

/** The only access to PostgreSQL. Inside `transaction`, every repository and query of the same call chain joins the transaction. */
@Injectable()
export class Database implements OnModuleInit, OnApplicationShutdown {
  private readonly ambient = new ContextVariable<Scope | null>();
  /** The outermost scope of each transaction, by TypeORM's query runner. */
  private readonly scopes = new WeakMap<QueryRunner, Scope>();
  private readonly places = new TransactionPlaces(MAX_TRANSACTIONS, CONNECT_TIMEOUT_MS);
  /** Whether a statement has failed since `takeDiskFull` because PostgreSQL's disk is full. */
  private isDiskFull = false;

  constructor(
    private readonly dataSource: DataSource,
    private readonly log: Log,
  ) {
    dataSource.subscribers.push({ afterQuery: (event) => this.noteFailure(event) });
  }

  /** Registers a listener for broken connections: the pool replaces them, but an unhandled error event would end the process. */
  async onModuleInit(): Promise<void> {
    const lost = (err: Error) => {
      delete err.stack; // it has only the frames of the socket, and would make the line long
      this.log.warn({ err }, 'lost a database connection');
    };
    this.pool.on('error', lost);
    this.pool.on('connect', (client) => void client.on('error', lost));
    const first = await this.pool.connect(); // TypeORM opened this connection before the listener was registered
    first.on('error', lost);
    first.release();
  }

  /** The tables, as declared by the entities. */
  get entities(): readonly EntityMetadata[] {
    return this.dataSource.entityMetadatas;
  }

  /** The repository of an entity, in the ambient transaction if there is one. */
  repository<Entity extends ObjectLiteral>(entity: EntityTarget<Entity>): Repository<Entity> {
    return (this.currentScope()?.manager ?? this.dataSource.manager).getRepository(entity);
  }

  /**
   * Runs `work` in a transaction, or in the ambient one. Rolls back if it throws; a nested call that throws rolls back the whole transaction,
   * even if the error is caught. All work inside must be awaited: statements after the end throw. If a row to which `work` refers is deleted by another
   * transaction meanwhile, so that a foreign key fails, `work` runs once more and finds the row gone; until its end it must change nothing else.
   */
  async transaction<T>(work: () => Promise<T>): Promise<T> {
    const outer = this.currentScope();
    if (outer) return await markFailure(outer, work);
    let afterCommit: (() => void)[] = [];
    const result = await this.runTransaction(work, afterCommit).catch(async (error: unknown) => {
      if (!isForeignKeyViolation(error)) throw error;
      afterCommit = [];
      return await this.runTransaction(work, afterCommit);
    });
    for (const act of afterCommit) act();
    return result;
  }

  private async runTransaction<T>(work: () => Promise<T>, afterCommit: (() => void)[]): Promise<T> {
    await this.places.take();
    const transaction = this.dataSource.transaction(async (manager) => {
      const scope: Scope = { manager, failed: false, ended: false, afterCommit };
      this.scopes.set(runnerOf(manager), scope);
      try {
        const result = await this.ambient.run(scope, work);
        // After a failed statement, PostgreSQL itself responds to COMMIT with a rollback and no error.
        if (scope.failed) throw partFailed();
        return result;
      } finally {
        scope.ended = true;
      }
    });
    return await transaction.finally(() => this.places.release());
  }

  /**
   * Runs `work` in a savepoint of the ambient transaction: if it throws, only its own changes are rolled back and the transaction continues.
   * Nothing else may use the transaction meanwhile. Without a transaction it simply runs `work`.
   */
  async attempt<T>(work: () => Promise<T>): Promise<T> {
    const outer = this.currentScope();
    if (!outer) return await work();
    const inner: Scope = { ...outer, failed: false, ended: false };
    await this.query('SAVEPOINT attempt');
    try {
      const result = await this.ambient.run(inner, work);
      if (inner.failed) throw partFailed();
      await this.query('RELEASE SAVEPOINT attempt');
      return result;
    } catch (error) {
      await this.query('ROLLBACK TO SAVEPOINT attempt');
      await this.query('RELEASE SAVEPOINT attempt');
      throw error;
    } finally {
      inner.ended = true;
    }
  }

  /** An object that identifies the ambient transaction until it ends; null outside a transaction. */
  ambientTransaction(): object | null {
    const scope = this.ambient.get() ?? null;
    return scope && !scope.ended ? scope.manager : null;
  }

  /** Calls `act`, which must not throw, after the ambient transaction has been committed; immediately if there is none. */
  afterCommit(act: () => void): void {
    const scope = this.currentScope();
    if (scope) scope.afterCommit.push(act);
    else act();
  }

  /**
   * Creates a function whose calls share statements (BatchedStatement). Inside a transaction, a call runs its own statement as part of the
   * transaction. `identify` returns the name of a key, `statement` returns its results by these names.
   */
  batched<Key, Value>(identify: (key: Key) => string, statement: StatementForMany<Key, Value>): (key: Key) => Promise<Value | null> {
    const batch = new BatchedStatement(identify, (keys: readonly Key[]) => this.ambient.run(null, () => statement(keys)));
    const runAlone = async (key: Key) => (await statement([key])).get(identify(key)) ?? null;
    return (key) => (this.currentScope() ? runAlone(key) : batch.run(key));
  }

  /**
   * Whether PostgreSQL accepts writes (a replica does not), and its time, which is null if it refused the connection because it is
   * read-only. Null: it did not respond in time; a connection that no longer responds is then removed from the pool.
   */
  async probe(): Promise<{ readonly isWritable: boolean; readonly now: Date | null } | null> {
    const statement = { text: PROBE, query_timeout: PROBE_TIMEOUT_MS }; // pg supports query_timeout but does not declare it
    const timeout = setTimeout(PROBE_TIMEOUT_MS, null, { ref: false });
    const answer = this.pool.query<{ isWritable: boolean; now: Date }>(statement).then(
      ({ rows }) => rows[0] ?? null,
      (error: unknown) => (isReadOnly(error) ? { isWritable: false, now: null } : null),
    );
    return await Promise.race([answer, timeout]);
  }

  /**
   * Whether a statement of this process has failed since the last call because PostgreSQL's disk is full. PostgreSQL still responds
   * in that state.
   */
  takeDiskFull(): boolean {
    const { isDiskFull } = this;
    this.isDiskFull = false;
    return isDiskFull;
  }

  /** Runs `work` outside any ambient transaction, on separate connections. */
  async outsideTransaction<T>(work: () => Promise<T>): Promise<T> {
    return await this.ambient.run(null, work);
  }

  /** Runs one SQL statement, prepared once per connection. The text must be constant; values are only passed as parameters. */
  async query<Row extends QueryResultRow>(text: string, values: readonly unknown[] = []): Promise<QueryResult<Row>> {
    const statement = { name: statementName(text), text, values: [...values] };
    const scope = this.currentScope();
    try {
      if (!scope) return await this.pool.query<Row>(statement);
      return await markFailure(scope, async () => {
        const connection = (await runnerOf(scope.manager).connect()) as PoolClient; // the transaction's own connection
        return await connection.query<Row>(statement);
      });
    } catch (error) {
      this.noteDiskFull(error);
      throw error;
    }
  }

  /** The first row of `query`, or null. */
  async queryOne<Row extends QueryResultRow>(text: string, values: readonly unknown[] = []): Promise<Row | null> {
    return (await this.query<Row>(text, values)).rows[0] ?? null;
  }

  /** Waits for every other transaction that locked this name, and makes later ones wait until the ambient transaction ends. */
  async lock(name: string): Promise<void> {
    await this.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [name]);
  }

  /**
   * Runs `work` in at most one process of all that use the database, with an advisory lock on a separate connection, which PostgreSQL
   * releases if the process dies. Null if another process is doing this work.
   */
  async runExclusively<T>(name: string, work: () => Promise<T>): Promise<{ readonly result: T } | null> {
    const client = await this.pool.connect();
    let broken: Error | undefined;
    try {
      const { rows } = await client.query<{ locked: boolean }>('SELECT pg_try_advisory_lock(hashtextextended($1, 0)) AS locked', [name]);
      if (!rows[0]?.locked) return null;
      try {
        return { result: await work() };
      } finally {
        // A connection that failed to release the lock must not return to the pool.
        await client.query('SELECT pg_advisory_unlock(hashtextextended($1, 0))', [name]).catch((error: Error) => {
          broken = error;
        });
      }
    } finally {
      client.release(broken);
    }
  }

  /** The number of statements and transactions that wait for a connection. */
  get waitingCount(): number {
    return this.pool.waitingCount + this.places.waitingCount;
  }

  /** The connection pool, for libraries that bring their own SQL. */
  get pool(): Pool {
    const { options } = this.dataSource;
    if (options.type !== 'postgres' || !(options.driver instanceof PostgresDriver)) throw new Error('Connect with connectionOptions().');
    return options.driver.pool;
  }

  async onApplicationShutdown(): Promise<void> {
    if (this.dataSource.isInitialized) await this.dataSource.destroy();
  }

  /** Records failed statements of TypeORM's repositories in the same way as those of `query`. */
  private noteFailure({ success, queryRunner, error }: AfterQueryEvent): void {
    if (success) return;
    this.noteDiskFull(error);
    const outermost = this.scopes.get(queryRunner);
    const scope = outermost && (this.ambient.get() ?? outermost); // the ambient scope may be a part of the transaction (attempt)
    if (scope) scope.failed = true;
  }

  private noteDiskFull(error: unknown): void {
    if ((error as { code?: unknown } | null)?.code === DISK_FULL) this.isDiskFull = true;
  }

  private currentScope(): Scope | null {
    const scope = this.ambient.get() ?? null;
    if (scope?.ended) throw new Error('The transaction has ended; await everything that belongs to it.');
    return scope;
  }
}

async function markFailure<T>(scope: Scope, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    scope.failed = true;
    throw error;
  }
}

const partFailed = () => new Error('A part of the transaction failed and the error was caught; all of it was rolled back.');

function runnerOf({ queryRunner }: EntityManager): QueryRunner {
  if (!queryRunner) throw new Error('A transaction has a query runner.');
  return queryRunner;
}

function statementName(text: string): string {
  let name = statementNames.get(text);
  if (!name) {
    name = `s_${createHash('sha256').update(text).digest('hex').slice(0, 24)}`;
    statementNames.set(text, name);
  }
  return name;
}
