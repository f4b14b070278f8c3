import type { MigrationInterface, QueryRunner } from 'typeorm';

const DEVICES = `'phone', 'tablet', 'desktop', 'television', 'other'`;

/** What was delivered: the sums of each day, and single plays for 90 days. Nothing tells who the viewers were. */
export class CreateStatistics1764110000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE daily_figures (
        customer_id integer NOT NULL CONSTRAINT daily_figures_customer_id_fkey REFERENCES customers ON DELETE RESTRICT,
        day date NOT NULL,
        media_container_id integer NOT NULL,
        embed_link_id integer NOT NULL,
        player_configuration_id integer NOT NULL,
        host text NOT NULL,
        device text NOT NULL CONSTRAINT daily_figures_device_check CHECK (device IN (${DEVICES})),
        rule text NOT NULL,
        plays integer NOT NULL DEFAULT 0,
        watched_seconds bigint NOT NULL DEFAULT 0,
        finished integer NOT NULL DEFAULT 0,
        downloads integer NOT NULL DEFAULT 0,
        pictures integer NOT NULL DEFAULT 0,
        refused integer NOT NULL DEFAULT 0,
        bytes bigint NOT NULL DEFAULT 0,
        CONSTRAINT daily_figures_pkey
          PRIMARY KEY (customer_id, day, media_container_id, embed_link_id, player_configuration_id, host, device, rule)
      )`);
    await runner.query(`
      CREATE TABLE plays (
        id uuid CONSTRAINT plays_pkey PRIMARY KEY,
        customer_id integer NOT NULL CONSTRAINT plays_customer_id_fkey REFERENCES customers ON DELETE RESTRICT,
        media_container_id integer NOT NULL,
        embed_link_id integer NOT NULL,
        player_configuration_id integer NOT NULL,
        day date NOT NULL,
        host text NOT NULL,
        device text NOT NULL CONSTRAINT plays_device_check CHECK (device IN (${DEVICES})),
        seen bit(100) NOT NULL,
        watched_seconds integer NOT NULL,
        fetched_length double precision,
        finished boolean NOT NULL,
        previous_seconds integer NOT NULL,
        was_finished boolean NOT NULL
      )`);
    await runner.query('CREATE INDEX plays_media_container_id_idx ON plays (media_container_id, day)');
    await runner.query('CREATE INDEX plays_customer_id_idx ON plays (customer_id)');
    await runner.query('CREATE INDEX plays_day_idx ON plays (day)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE plays');
    await runner.query('DROP TABLE daily_figures');
  }
}
