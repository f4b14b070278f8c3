import type { OpenAPIObject } from '@nestjs/swagger';
import { EVENTS, type EventName, EventResponse } from '../shared/events/index.js';

type Schema = NonNullable<NonNullable<OpenAPIObject['components']>['schemas']>[string];
type Members = Record<string, Schema>;

/** The classes that define the schemas of the events. */
export const eventModels = [EventResponse, ...Object.values(EVENTS).map(({ payload }) => payload)];

const PREFIX = '#/components/schemas/';
const text = { type: 'string' as const };

/** The headers of Standard Webhooks. */
const HEADERS = [
  {
    ...{ name: 'webhook-id', in: 'header' as const, required: true, schema: text, example: 'msg_2KWPBgLlAfxdpx2AI54pPJ85f4W' },
    description: 'The id of the message, the same in all attempts: receivers ignore a message that they have.',
  },
  {
    ...{ name: 'webhook-timestamp', in: 'header' as const, required: true, schema: text, example: '1763600000' },
    description: 'When this attempt was sent, in Unix seconds: receivers refuse it when it is more than five minutes off.',
  },
  {
    ...{ name: 'webhook-signature', in: 'header' as const, required: true, schema: text },
    example: 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    description:
      '`v1,` and the HMAC-SHA256 of `webhook-id.webhook-timestamp.body` in base64. The key is the part of the signingSecret of the subscription after `whsec_`, decoded from base64.',
  },
];

const RESPONSES = {
  '2XX': { description: 'The receiver has the event.' },
  410: { description: 'The receiver does not want this message: no further attempt is made.' },
  default: { description: 'Further attempts follow, after the seconds of Retry-After where the response has one.' },
};

/** For each event, describes the request of an `https` instruction without a custom payload. */
export function addWebhooks(document: OpenAPIObject): void {
  const schemas = document.components?.schemas as Members;
  const general = schemas[EventResponse.name] as { readonly properties: Members };
  document.webhooks = {};
  for (const [name, { payload, method, meaning }] of Object.entries(EVENTS)) {
    const members = { name: { ...text, enum: [name] }, method: { ...text, enum: [method] }, payload: { $ref: PREFIX + payload.name } };
    const schemaName = payload.name.replace('Payload', 'Event');
    schemas[schemaName] = { ...general, properties: { ...general.properties, ...members } };
    const post = { ...{ tags: ['Subscriptions'], operationId: schemaName, summary: meaning, security: [] }, ...requestOf(schemaName) };
    document.webhooks[name as EventName] = { post };
  }
}

const requestOf = (schemaName: string) => ({
  description: 'Another method may be chosen in the instruction.',
  parameters: HEADERS,
  requestBody: { required: true, content: { 'application/json': { schema: { $ref: PREFIX + schemaName } } } },
  responses: RESPONSES,
});
