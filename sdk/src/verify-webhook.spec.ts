import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { verifyWebhook } from './verify-webhook.js';

const secret = (bytes = 24) => `whsec_${randomBytes(bytes).toString('base64')}`;
const [KEY, OTHER] = [secret(), secret()];
const BODY = '{"name":"event:releaseRequest","payload":{"message":"Grüße, \\"100 %\\""}}';

/** Headers as the reference library of Standard Webhooks makes them. */
function signed(keys: readonly string[], { body = BODY, at = new Date() } = {}) {
  const signature = keys.map((key) => new Webhook(key).sign('msg_1', at, body)).join(' ');
  return { 'webhook-id': 'msg_1', 'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)), 'webhook-signature': signature };
}

/** Headers of a message of now whose signature is changed by `change`. */
function withSignature(change: (genuine: string) => string) {
  const headers = signed([KEY]);
  return { ...headers, 'webhook-signature': change(headers['webhook-signature']) };
}

const secondsFromNow = (seconds: number) => new Date(Date.now() + seconds * 1_000);

// The headers are made by the test and not by the table: minutes can pass between the two on a busy machine.
describe('a genuine webhook', () => {
  it.each([
    ['with the headers of Node.js', BODY, () => signed([KEY]), KEY],
    ['with Headers, and the body as bytes', new TextEncoder().encode(BODY), () => new Headers(signed([KEY])), KEY],
    ['with the signatures of two secrets', BODY, () => signed([OTHER, KEY]), KEY],
    ['while the secret is being replaced', BODY, () => signed([OTHER]), [KEY, OTHER]],
    ['with a signature of a later version', BODY, () => withSignature((genuine) => `v2,xx ${genuine}`), KEY],
    ['four minutes late', BODY, () => signed([KEY], { at: secondsFromNow(-240) }), KEY],
  ])('%s is the event', async (_, body, headers, key) => {
    expect(await verifyWebhook(body, headers(), key)).toEqual(JSON.parse(BODY));
  });

  it('without a body has no event', async () => {
    expect(await verifyWebhook('', signed([KEY], { body: '' }), KEY)).toBeNull();
  });
});

describe('a webhook is refused', () => {
  it.each([
    ['with another body', `${BODY} `, () => signed([KEY]), KEY, 'webhook_signature_mismatch'],
    ['of another secret', BODY, () => signed([OTHER]), KEY, 'webhook_signature_mismatch'],
    ['with another id', BODY, () => ({ ...signed([KEY]), 'webhook-id': 'msg_2' }), KEY, 'webhook_signature_mismatch'],
    ['with a signature that is no base64', BODY, () => withSignature(() => 'v1,%%'), KEY, 'webhook_signature_mismatch'],
    ['with half a signature', BODY, () => withSignature(() => 'v1,AAAA'), KEY, 'webhook_signature_mismatch'],
    ['that is old', BODY, () => signed([KEY], { at: secondsFromNow(-301) }), KEY, 'webhook_timestamp_refused'],
    ['of the future', BODY, () => signed([KEY], { at: secondsFromNow(400) }), KEY, 'webhook_timestamp_refused'],
    ['with no time', BODY, () => ({ ...signed([KEY]), 'webhook-timestamp': 'NaN' }), KEY, 'webhook_timestamp_refused'],
    ['without a signature', BODY, () => ({ 'webhook-id': 'msg_1', 'webhook-timestamp': '1' }), KEY, 'webhook_headers_missing'],
    ['that is no JSON', 'hello', () => signed([KEY], { body: 'hello' }), KEY, 'webhook_body_invalid'],
  ])('%s', async (_, body, headers, key, code) => {
    await expect(verifyWebhook(body, headers(), key)).rejects.toMatchObject({ name: 'ProblemError', code });
  });

  it('for a malformed secret', async () => {
    await expect(verifyWebhook(BODY, signed([KEY]), 'whsec_%')).rejects.toThrow('must be whsec_');
    for (const missing of ['', undefined as unknown as string]) {
      await expect(verifyWebhook(BODY, signed([KEY]), missing)).rejects.toThrow('needs the secret of the subscription');
    }
  });
});
