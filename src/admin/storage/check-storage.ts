import { CredentialIssuer } from '../../modules/uploads/index.js';
import { Config } from '../../shared/config/index.js';
import { ObjectStorage, versioningProblem } from '../../shared/storage/index.js';
import type { Call, Work } from '../command.js';
import { StorageCheck } from './storage-check.js';

/** `admin check storage`: tries every right on the bucket that service and uploaders need. Exit code 1 when one is missing. A bucket without versions is a warning. */
export async function checkStorage(call: Call): Promise<Work> {
  return async (service) => {
    const config = service.get(Config);
    const check = new StorageCheck(config, service.get(CredentialIssuer));
    const { checks, leftBehind } = await check.run().finally(() => check.destroy());
    const wrong = checks.filter(({ result }) => result !== 'ok' && result !== 'not tried');
    const missing = wrong.map(({ by, right, on }) => `${by}: ${right} on ${on}`);
    if (missing.length > 0) call.fail(['Not as it has to be:', ...missing.map((line) => `  - ${line}`)].join('\n'));
    if (leftBehind.length > 0) call.fail(`Left in the bucket: ${leftBehind.join(', ')}`);
    const versioning = await service.get(ObjectStorage).versioning();
    const problem = versioningProblem(versioning, config.s3Bucket);
    const warnings = problem && missing.length === 0 ? [problem] : [];
    return { bucket: config.s3Bucket, role: config.stsRoleArn, versioning: versioning.status, checks, missing, warnings };
  };
}
