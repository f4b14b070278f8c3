import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateTranscoding1763601500000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE activities
      ADD COLUMN sequence bigserial NOT NULL,
      ADD COLUMN type text NOT NULL DEFAULT 'upload',
      ADD COLUMN progress smallint,
      ADD COLUMN media_container_id integer,
      ADD COLUMN format_id integer,
      ADD COLUMN log text,
      ADD COLUMN finished_at timestamptz,
      ADD CONSTRAINT activities_progress_check CHECK (progress BETWEEN 0 AND 100)`);
    await runner.query(`UPDATE activities SET finished_at = created_at WHERE status <> 'running'`);
    await runner.query(`ALTER TABLE activities ALTER COLUMN type DROP DEFAULT`);
    await runner.query(`DROP INDEX activities_customer_id_idx`);
    await runner.query(`CREATE INDEX activities_customer_id_idx ON activities (customer_id, sequence)`);
    await runner.query(`CREATE INDEX activities_running_idx ON activities (customer_id, sequence) WHERE status = 'running'`);
    await runner.query(`CREATE INDEX activities_media_container_id_idx ON activities (media_container_id, sequence)
      WHERE media_container_id IS NOT NULL`);
    await runner.query(`ALTER TABLE media_containers ADD COLUMN technical_metadata jsonb`);
    await runner.query(`CREATE TABLE transcoding_jobs (
      id uuid NOT NULL,
      customer_id integer NOT NULL,
      media_container_id integer NOT NULL,
      source_media_id integer NOT NULL,
      format_id integer NOT NULL,
      programs text[] NOT NULL,
      priority smallint NOT NULL,
      turn bigint NOT NULL,
      state text NOT NULL DEFAULT 'ready',
      ready_at timestamptz NOT NULL,
      attempt integer NOT NULL DEFAULT 0,
      failures integer NOT NULL DEFAULT 0,
      locked_by text,
      heartbeat_at timestamptz,
      depth integer NOT NULL DEFAULT 0,
      CONSTRAINT transcoding_jobs_pkey PRIMARY KEY (id),
      CONSTRAINT transcoding_jobs_source_media_id_format_id_key UNIQUE (source_media_id, format_id),
      CONSTRAINT transcoding_jobs_customer_id_fkey FOREIGN KEY (customer_id) REFERENCES customers (id) ON DELETE CASCADE,
      CONSTRAINT transcoding_jobs_state_check CHECK (state IN ('ready', 'running')),
      CONSTRAINT transcoding_jobs_holder_check CHECK ((state = 'running') = (locked_by IS NOT NULL))
    )`);
    await runner.query(`CREATE INDEX transcoding_jobs_ready_idx ON transcoding_jobs (priority, turn, id) WHERE state = 'ready'`);
    await runner.query(`CREATE INDEX transcoding_jobs_running_idx ON transcoding_jobs (locked_by) WHERE state = 'running'`);
    await runner.query(`CREATE INDEX transcoding_jobs_customer_id_idx ON transcoding_jobs (customer_id, priority, turn)`);
    await runner.query(`CREATE INDEX transcoding_jobs_format_id_idx ON transcoding_jobs (format_id)`);
    await runner.query(`CREATE INDEX transcoding_jobs_media_container_id_idx ON transcoding_jobs (media_container_id)`);
    await runner.query(`CREATE TABLE converter_workers (
      name text NOT NULL,
      host text NOT NULL,
      programs text[] NOT NULL,
      tools jsonb NOT NULL,
      isolation jsonb NOT NULL,
      started_at timestamptz NOT NULL,
      CONSTRAINT converter_workers_pkey PRIMARY KEY (name)
    )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE converter_workers`);
    await runner.query(`DROP TABLE transcoding_jobs`);
    await runner.query(`ALTER TABLE media_containers DROP COLUMN technical_metadata`);
    await runner.query(`DROP INDEX activities_media_container_id_idx`);
    await runner.query(`DROP INDEX activities_running_idx`);
    await runner.query(`DROP INDEX activities_customer_id_idx`);
    await runner.query(`ALTER TABLE activities
      DROP CONSTRAINT activities_progress_check,
      DROP COLUMN finished_at,
      DROP COLUMN log,
      DROP COLUMN format_id,
      DROP COLUMN media_container_id,
      DROP COLUMN progress,
      DROP COLUMN type,
      DROP COLUMN sequence`);
    await runner.query(`CREATE INDEX activities_customer_id_idx ON activities (customer_id)`);
  }
}
