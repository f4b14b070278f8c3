import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Users and customers in audit records are named by id, so that the erasure of a person leaves no address there. */
export class NameAuditRecordsByIds1763900600000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const column of ['actor', 'on_behalf_of', 'subject']) {
      await runner.query(`UPDATE audit_records SET ${column} = 'user:' || users.id FROM users
        WHERE ${column} = 'user:' || users.email AND users.kind <> 'sender'`);
    }
    await runner.query(`UPDATE audit_records SET subject = 'customer:' || customers.id FROM customers
      WHERE subject = 'customer:' || customers.name`);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const column of ['actor', 'on_behalf_of', 'subject']) {
      await runner.query(`UPDATE audit_records SET ${column} = 'user:' || users.email FROM users
        WHERE ${column} = 'user:' || users.id AND users.kind <> 'sender'`);
    }
    await runner.query(`UPDATE audit_records SET subject = 'customer:' || customers.name FROM customers
      WHERE subject = 'customer:' || customers.id`);
  }
}
