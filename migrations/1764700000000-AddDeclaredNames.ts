import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Customers keep the name under which the operator declared them when their own users give them another. Names of before count as declared by the operator,
 * except that of the demo of `npm start`, which was found by its user.
 */
export class AddDeclaredNames1764700000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE customers ADD COLUMN declared_name text');
    await runner.query('CREATE UNIQUE INDEX customers_declared_name_key ON customers (declared_name)');
    await runner.query(`UPDATE customers SET declared_name = 'Demo'
      WHERE id = (SELECT customer_id FROM users WHERE email = 'demo@example.org' AND kind <> 'sender')
        AND NOT EXISTS (SELECT FROM customers WHERE name = 'Demo')`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE customers DROP COLUMN declared_name');
  }
}
