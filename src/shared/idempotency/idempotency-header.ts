/** How the header stands in the OpenAPI document. */
export const IDEMPOTENCY_HEADER = {
  name: 'Idempotency-Key',
  required: false,
  description:
    'Up to 255 visible ASCII characters, a new one (for example a UUID) for each thing to make. The same request with the same key again, also at the same time, makes nothing, and gets the same answer with `Idempotency-Replayed: true`. Failed requests are not kept.',
  schema: { type: 'string', maxLength: 255, example: '8e03978e-40d5-43dd-bc93-6894a57f9324' },
};
