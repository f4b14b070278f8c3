import type { SharedTestCluster } from './global-setup.js';

/** Jest's globalTeardown: the last project that used the run's PostgreSQL removes it. */
export default async function globalTeardown(): Promise<void> {
  const shared: SharedTestCluster | undefined = globalThis.sharedTestCluster;
  if (shared === undefined) return;
  shared.users -= 1;
  if (shared.users > 0) return;
  globalThis.sharedTestCluster = undefined;
  await (await shared.cluster).remove();
}
