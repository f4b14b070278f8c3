import { UploadReconciliationService } from '../../modules/uploads/index.js';
import { Clock } from '../../shared/time/index.js';
import type { Call, Work } from '../command.js';
import { Trail } from '../trail.js';

/** `admin uploads reconcile [--mend]`: how database and storage differ; with --mend no longer. */
export async function reconcileUploads(call: Call): Promise<Work> {
  const mend = call.options.mend ?? false;
  return async (service) => {
    const reconciliation = await service.get(UploadReconciliationService).reconcile({ now: service.get(Clock).now(), mend });
    if (mend) await new Trail(service, call).record('uploads.reconcile', `differences:${reconciliation.differences.length}`);
    return reconciliation;
  };
}
