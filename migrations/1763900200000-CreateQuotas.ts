import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Quotas of customers, and what the budget of runs that one event may cause needs: which event a chain began with. */
export class CreateQuotas1763900200000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE quotas (
      customer_id integer NOT NULL CONSTRAINT quotas_customer_id_fkey REFERENCES customers ON DELETE CASCADE,
      name text NOT NULL,
      max bigint,
      day date,
      used bigint NOT NULL DEFAULT 0,
      CONSTRAINT quotas_pkey PRIMARY KEY (customer_id, name)
    )`);
    await runner.query(`ALTER TABLE events ADD root_id bigint, ADD further_runs integer NOT NULL DEFAULT 0`);
    await runner.query('ALTER TABLE transcoding_jobs ADD root_event_id bigint');
    await runner.query(`CREATE INDEX subscription_runs_unfinished_idx ON subscription_runs (subscription_id) WHERE finished_at IS NULL`);
    await runner.query(`CREATE INDEX subscription_logs_refused_idx ON subscription_logs (subscription_id, created_at) WHERE run_id = 0`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX subscription_logs_refused_idx');
    await runner.query('DROP INDEX subscription_runs_unfinished_idx');
    await runner.query('ALTER TABLE transcoding_jobs DROP root_event_id');
    await runner.query('ALTER TABLE events DROP further_runs, DROP root_id');
    await runner.query('DROP TABLE quotas');
  }
}
