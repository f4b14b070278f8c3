// Does a wrong password cost the same for a known and an unknown e-mail address?
import { startService } from './support/processes.mjs';
import { inContext } from './support/provision.mjs';

const TRIES = 200;

export async function run() {
  const service = await startService();
  try {
    return await inContext(service, async (context, { load }) => {
      const { PasswordLoginService } = await load('modules/accounts/index.js');
      const { Database } = await load('shared/database/index.js');
      const { pool } = context.get(Database);
      const times = { known: [], unknown: [] };
      for (let round = 0; round < TRIES; round += 1) {
        for (const [kind, email] of [
          ['known', service.login.email],
          ['unknown', 'nobody@example.org'],
        ]) {
          await pool.query('DELETE FROM login_failures'); // so that no attempt is delayed: only the hash is measured
          const startedAt = process.hrtime.bigint();
          const attempt = { email, password: 'wrong', clientNetwork: '127.0.0.1', knownBrowser: null };
          await context
            .get(PasswordLoginService)
            .signIn(attempt)
            .catch(() => {});
          times[kind].push(Number(process.hrtime.bigint() - startedAt) / 1e6);
        }
      }
      const median = (values) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)];
      const [known, unknown] = [median(times.known), median(times.unknown)];
      return [
        { name: 'failed login, known address, median', note: `${known.toFixed(2)} ms`, ratio: 1 },
        { name: 'failed login, unknown address, median', note: `${unknown.toFixed(2)} ms`, ratio: unknown / known },
      ];
    });
  } finally {
    await service.stop();
  }
}
