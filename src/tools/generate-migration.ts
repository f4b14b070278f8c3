import '../process/quiet-runtime-notice.js';

import { randomUUID } from 'node:crypto';
import { readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import { migrations } from '../../migrations/index.js';
import { completeEnvironment } from '../embedded/complete-environment.js';
import { entities } from '../entities.js';
import { reportFailure } from '../process/run-until-end.js';
import { loadConfig } from '../shared/config/index.js';
import { describeDrift, migrate } from '../shared/database/migrate.js';
import { StartupError } from '../shared/errors.js';

/** `npm run migration:generate -- Name`: writes a migration for entity changes that no migration contains yet; a person must review it. */
async function generate(name: string | undefined): Promise<void> {
  if (!name || !/^[A-Z]\w+$/.test(name))
    throw new StartupError('Name the migration in CamelCase: npm run migration:generate -- AddFormatUsage');
  const environment = await completeEnvironment(loadConfig());
  try {
    const drift = await withScratchDatabase(environment.config.databaseUrl, async (url) => {
      await migrate(url, migrations);
      return await describeDrift(url, entities);
    });
    if (drift.up.length === 0) return console.log('The migrations and the entities agree; nothing to generate.');
    const file = path.join('migrations', `${Date.now()}-${name}.ts`);
    writeFileSync(file, source(path.basename(file, '.ts'), drift));
    writeFileSync('migrations/index.ts', index());
    console.log(`Wrote ${file} and migrations/index.ts. Read it, then run npm run lint:fix.`);
  } finally {
    await environment.stop();
  }
}

/** Runs `work` with a temporary database beside the service's, so that unfinished migrations never affect real rows. */
async function withScratchDatabase<T>(databaseUrl: string, work: (url: string) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const name = `scratch_${randomUUID().replaceAll('-', '')}`;
  try {
    await client.query(`CREATE DATABASE ${name}`);
    const url = new URL(databaseUrl);
    url.pathname = `/${name}`;
    return await work(url.href);
  } finally {
    await client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    await client.end();
  }
}

function source(fileName: string, { up, down }: { up: readonly string[]; down: readonly string[] }): string {
  const [timestamp, name] = fileName.split('-');
  const statements = (queries: readonly string[]) =>
    queries.map((query) => `    await runner.query(\`${query.replaceAll('`', '\\`')}\`);`).join('\n');
  return `import type { MigrationInterface, QueryRunner } from 'typeorm';

export class ${name}${timestamp} implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
${statements(up)}
  }

  async down(runner: QueryRunner): Promise<void> {
${statements(down)}
  }
}
`;
}

function index(): string {
  const files = readdirSync('migrations').filter((name) => /^\d+-\w+\.ts$/.test(name));
  const imports = files.sort().map((file) => {
    const [timestamp, name] = path.basename(file, '.ts').split('-');
    return { line: `import { ${name}${timestamp} } from './${path.basename(file, '.ts')}.js';`, symbol: `${name}${timestamp}` };
  });
  const lines = imports.map(({ line }) => line).join('\n');
  return `${lines}\n\n/** Every migration, the oldest first. */\nexport const migrations = [${imports.map(({ symbol }) => symbol).join(', ')}];\n`;
}

generate(process.argv[2]).catch(reportFailure);
