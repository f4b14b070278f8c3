import Module from 'node:module';
import type { TestCluster } from './test-cluster.js';

/** What the setup leaves for the teardown, which Jest loads apart from it, in the same process. */
export interface SharedTestCluster {
  users: number;
  readonly cluster: Promise<TestCluster>;
}

declare global {
  var sharedTestCluster: SharedTestCluster | undefined;
}

/** Jest's globalSetup: one PostgreSQL for the whole run, its address in TEST_POSTGRES_URL. A further project with this setup joins in. */
export default async function globalSetup(): Promise<void> {
  globalThis.sharedTestCluster ??= { users: 0, cluster: startCluster() };
  globalThis.sharedTestCluster.users += 1;
  process.env.TEST_POSTGRES_URL = (await globalThis.sharedTestCluster.cluster).url;
}

async function startCluster(): Promise<TestCluster> {
  const restore = resolveTypeScript();
  try {
    const { startTestCluster } = await import('./test-cluster.js');
    return await startTestCluster();
  } finally {
    restore();
  }
}

/**
 * Jest compiles this file and what it imports to CommonJS, but leaves finding the files to Node (moduleNameMapper is for tests only),
 * and Node does not know that in TypeScript `./x.js` means `./x.ts`. Returns the way back.
 */
function resolveTypeScript(): () => void {
  const loader = Module as unknown as { _resolveFilename(request: string, parent?: { filename?: string }, ...more: unknown[]): string };
  const original = loader._resolveFilename;
  loader._resolveFilename = (request, parent, ...more) => {
    const isOurs = request.startsWith('.') && parent?.filename?.endsWith('.ts');
    return original.call(loader, isOurs ? request.replace(/\.js$/, '.ts') : request, parent, ...more);
  };
  return () => {
    loader._resolveFilename = original;
  };
}
