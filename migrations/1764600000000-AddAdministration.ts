import type { MigrationInterface, QueryRunner } from 'typeorm';

const VERSIONED = ['users', 'clients', 'identity_providers'];

/** The filters of the find of audit records; each is read from its newest record on. */
const AUDIT_INDEXES = {
  audit_records_customer_idx: 'customer_id, id',
  audit_records_customer_actor_idx: 'customer_id, actor, id',
  audit_records_customer_subject_idx: 'customer_id, subject, id',
  audit_records_customer_action_idx: 'customer_id, action, id',
};

/**
 * Lets customers administer their users, clients and identity providers by API: versions for ETag and If-Match, the customer of clients and audit
 * records. Clients that the operator declared belong to no customer. Audit records about a user or a customer get its customer.
 */
export class AddAdministration1764600000000 implements MigrationInterface {
  /** Locks one table at a time, because requests lock several of them, and a transaction with all of these locks would deadlock with one. */
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    for (const table of VERSIONED) {
      await runner.query(`ALTER TABLE ${table} ADD COLUMN IF NOT EXISTS version integer NOT NULL DEFAULT 1`);
    }
    await runner.query(`ALTER TABLE identity_providers ADD COLUMN IF NOT EXISTS max_admin_level integer`);
    await runner.query(`ALTER TABLE clients ADD COLUMN IF NOT EXISTS customer_id integer
      CONSTRAINT clients_customer_id_fkey REFERENCES customers (id) ON DELETE CASCADE`);
    await runner.query(`CREATE INDEX IF NOT EXISTS clients_customer_id_idx ON clients (customer_id)`);
    await runner.query(`ALTER TABLE audit_records ADD COLUMN IF NOT EXISTS customer_id integer`);
    await runner.query(`UPDATE audit_records a SET customer_id = u.customer_id FROM users u
      WHERE a.customer_id IS NULL AND a.subject = 'user:' || u.id`);
    await runner.query(`UPDATE audit_records a SET customer_id = c.id FROM customers c
      WHERE a.customer_id IS NULL AND a.subject = 'customer:' || c.id`);
    for (const [name, columns] of Object.entries(AUDIT_INDEXES)) {
      await runner.query(`CREATE INDEX IF NOT EXISTS ${name} ON audit_records (${columns})`);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const name of Object.keys(AUDIT_INDEXES)) await runner.query(`DROP INDEX IF EXISTS ${name}`);
    await runner.query(`ALTER TABLE audit_records DROP COLUMN IF EXISTS customer_id`);
    await runner.query(`ALTER TABLE clients DROP COLUMN IF EXISTS customer_id`);
    await runner.query(`ALTER TABLE identity_providers DROP COLUMN IF EXISTS max_admin_level`);
    for (const table of VERSIONED) await runner.query(`ALTER TABLE ${table} DROP COLUMN IF EXISTS version`);
  }
}
