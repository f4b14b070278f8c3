import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Links know how often they were used and when. Lists of links leave out those whose containers have ended: `media_container_has_ended` answers for
 * modules that own links, because `media_containers` belongs to another one; a container that was removed has ended, too.
 */
export class CountLinkUses1764100000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`SET LOCAL lock_timeout = '5s'`);
    await runner.query('ALTER TABLE embed_links ADD uses bigint NOT NULL DEFAULT 0, ADD last_used_at timestamptz');
    await runner.query('ALTER TABLE download_links ADD uses bigint NOT NULL DEFAULT 0, ADD last_used_at timestamptz');
    await runner.query('ALTER TABLE dropsites ADD last_used_at timestamptz');
    await runner.query(`CREATE FUNCTION media_container_has_ended(container_id integer, at timestamptz) RETURNS boolean
      LANGUAGE sql STABLE PARALLEL SAFE AS
      $$ SELECT coalesce((SELECT flag = 1 OR coalesce("end" <= at, false) FROM media_containers WHERE id = container_id), true) $$`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`SET LOCAL lock_timeout = '5s'`);
    await runner.query('DROP FUNCTION media_container_has_ended');
    await runner.query('ALTER TABLE dropsites DROP last_used_at');
    await runner.query('ALTER TABLE download_links DROP uses, DROP last_used_at');
    await runner.query('ALTER TABLE embed_links DROP uses, DROP last_used_at');
  }
}
