import { UploadReaperJob, UploadReconciliationService } from '../modules/uploads/index.js';
import { Clock } from '../shared/clock.js';
import { StartupError } from '../shared/errors.js';
import type { Call, Work } from './command.js';
import { Trail } from './trail.js';

/** `admin uploads reap [--now DATETIME]`: runs the reaper once, optionally as if at another time. */
export async function reapUploads(call: Call): Promise<Work> {
  const now = readTime(call.options.now);
  return async (service) => {
    const report = await service.get(UploadReaperJob).reap(now);
    if (!report) throw new StartupError('The reaper is running at the moment; try again.');
    await new Trail(service, call).record('uploads.reap', `time:${now.toISOString()}`, null);
    return report;
  };
}

function readTime(given: string | undefined): Date {
  if (given === undefined) return new Date();
  const isIso = /^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(given);
  const time = new Date(given);
  if (!isIso || Number.isNaN(time.getTime())) throw new StartupError('--now must be an ISO 8601 datetime such as 2026-01-31T12:00:00Z.');
  return time;
}

/** `admin uploads reconcile [--mend]`: prints the differences between database and storage; --mend resolves them. */
export async function reconcileUploads(call: Call): Promise<Work> {
  const mend = call.options.mend ?? false;
  return async (service) => {
    const reconciliation = await service.get(UploadReconciliationService).reconcile({ now: service.get(Clock).now(), mend });
    if (mend) await new Trail(service, call).record('uploads.reconcile', `differences:${reconciliation.differences.length}`, null);
    return reconciliation;
  };
}
