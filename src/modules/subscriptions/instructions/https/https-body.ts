import type { HttpsInstruction } from '../instruction.js';
import type { Attempt } from '../instruction-runner.js';
import { fillPlaceholders } from '../placeholders.js';

/** What a request carries, and what its log shows of it: the payload as it was sent, null where there was none of its own. */
export interface HttpsBody {
  readonly body: Buffer | null;
  readonly payload: unknown;
}

/** The payload with its placeholders filled; without one the event itself, as receivers know it. GET has no body (RFC 9110 section 9.3.1). */
export function httpsBody({ instruction, event, values }: Attempt<HttpsInstruction>): HttpsBody {
  if (instruction.method === 'GET') return { body: null, payload: null };
  if (instruction.payload !== undefined && instruction.payload !== null) {
    const payload = fillPlaceholders(instruction.payload, values);
    return { body: asJson(payload), payload };
  }
  const { id, name, customerId, method, payload, createdAt } = event;
  return { body: asJson({ id, name, customerId, method, payload, createdAt }), payload: null };
}

const asJson = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));
