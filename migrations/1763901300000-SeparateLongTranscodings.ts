import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Long work has places of its own. Waiting films are recognized by their programs: they need ffmpeg, but no exiftool, which writes into pictures. Sound
 * needs the same programs; it counts as long work until these transcodings have ended.
 */
export class SeparateLongTranscodings1763901300000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`SET LOCAL lock_timeout = '5s'`);
    await runner.query('ALTER TABLE transcoding_jobs ADD is_long boolean NOT NULL DEFAULT false, ADD expected_seconds integer');
    await runner.query(`UPDATE transcoding_jobs SET is_long = true WHERE 'ffmpeg' = ANY(programs) AND NOT 'exiftool' = ANY(programs)`);
    await runner.query(`CREATE INDEX transcoding_jobs_places_idx ON transcoding_jobs (is_long, priority, turn, id) WHERE state = 'ready'`);
    await runner.query('DROP INDEX transcoding_jobs_customer_id_idx');
    await runner.query('CREATE INDEX transcoding_jobs_customer_id_idx ON transcoding_jobs (customer_id, is_long, priority, turn)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`SET LOCAL lock_timeout = '5s'`);
    await runner.query('DROP INDEX transcoding_jobs_customer_id_idx');
    await runner.query('CREATE INDEX transcoding_jobs_customer_id_idx ON transcoding_jobs (customer_id, priority, turn)');
    await runner.query('DROP INDEX transcoding_jobs_places_idx');
    await runner.query('ALTER TABLE transcoding_jobs DROP expected_seconds, DROP is_long');
  }
}
