import type { MigrationInterface, QueryRunner } from 'typeorm';

const NOTIFY = `CREATE OR REPLACE FUNCTION notify_version_1_1() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    PERFORM pg_notify(TG_ARGV[0], '');
    RETURN NULL;
  END $$`;

/** By table: the channel of its cache in version 1.1, and the changes of which that must learn. Quotas are locked by updates that change nothing. */
const TRIGGERS = [
  ['formats', 'formats_changed', 'AFTER INSERT OR UPDATE OR DELETE ON formats FOR EACH STATEMENT'],
  ['converter_workers', 'converter_workers_changed', 'AFTER INSERT OR UPDATE OR DELETE ON converter_workers FOR EACH STATEMENT'],
  ['quotas', 'quotas_changed', 'AFTER UPDATE ON quotas FOR EACH ROW WHEN (old.max IS DISTINCT FROM new.max)'],
] as const;

/**
 * Processes of version 1.1 keep formats, workers and limits in memory until they are notified of a change; later ones ask the database, and send
 * no notification. During a rolling upgrade the database sends it. Version 1.3 removes the triggers.
 */
export class NotifyVersion111764820000000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(NOTIFY);
    for (const [table, channel, event] of TRIGGERS) {
      await runner.query(`DROP TRIGGER IF EXISTS ${table}_notify_version_1_1 ON ${table}`);
      await runner.query(`CREATE TRIGGER ${table}_notify_version_1_1 ${event} EXECUTE FUNCTION notify_version_1_1('${channel}')`);
    }
    await runner.query('DROP TRIGGER IF EXISTS quotas_notify_version_1_1_insert ON quotas');
    await runner.query(
      `CREATE TRIGGER quotas_notify_version_1_1_insert AFTER INSERT ON quotas FOR EACH ROW WHEN (new.max IS NOT NULL)
        EXECUTE FUNCTION notify_version_1_1('quotas_changed')`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP FUNCTION IF EXISTS notify_version_1_1 CASCADE');
  }
}
