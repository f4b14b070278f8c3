import type { BodyFacts } from '../body/payload.js';
import { type Answer, emptyAnswer } from '../http/answer.js';
import type { ObjectDescription } from '../store/descriptions.js';
import { type Call, header, type Operation } from './call.js';
import { writeCondition } from './conditions.js';
import { copyObject } from './copy-object.js';
import { readDetails, versionHeader } from './object-details.js';
import { keep, receipt, storeBody } from './store-body.js';

export const putObject: Operation = {
  name: 'PutObject',
  method: 'PUT',
  on: 'object',
  action: 's3:PutObject',
  run: async (call) => await (header(call, 'x-amz-copy-source') === undefined ? putBody(call) : copyObject(call)),
};

async function putBody(call: Call): Promise<Answer> {
  const { key, stores, incoming } = call;
  const details = readDetails(incoming.headers);
  const condition = writeCondition(call);
  condition?.(await stores.objects.find(key)); // before gigabytes are sent for nothing; again when it counts
  const describe = ({ size, md5, checksum }: BodyFacts): ObjectDescription => ({
    ...details,
    key,
    size,
    etag: md5,
    versionId: stores.objects.newVersionId(),
    modifiedAt: stores.now().getTime(),
    checksum: checksum && { ...checksum, type: 'FULL_OBJECT' },
  });
  const stored = await storeBody(call, { describe });
  await keep(stored, async () => await stores.objects.put(stored.sealed, stored.description, condition));
  return emptyAnswer(200, { ...receipt(stored.facts), ...versionHeader(stored.description) });
}
