import { describe, expect, it } from '@jest/globals';
import type { Subscription } from './queries.js';
import { fieldOf, isJson, toFields, toValues, withoutSecrets } from './subscription-values.js';

const subscription = {
  name: 'event:dropsiteUploadComplete',
  flag: 2,
  notes: 'tells the shop',
  conditions: { methods: ['update'], payload: { dropsiteId: 7, email: '12', mediaContainerIds: [43], deep: { a: true } } },
  instructions: [
    {
      type: 'https',
      url: 'https://hooks.example.org/',
      method: 'PUT',
      headers: { 'x-api-key': '********' },
      payload: { id: ':dropsiteId' },
    },
    {
      type: 'email',
      to: [{ recipient: 'a@example.org', language: 'de' }, { recipient: ':user.email' }],
      template: 'uploadComplete',
      parameters: { title: 'T' },
    },
    { type: 'email', to: [{ recipient: 'b@example.org' }], subject: 'Arrived', text: 'Look.' },
    {
      type: 'api',
      method: 'PUT',
      path: 'v5/mediacontainer/:mediaContainerId',
      payload: { tags: ['new'] },
      as: 'changed',
      expected: [{ path: 'id', value: 7 }],
    },
  ],
} as unknown as Subscription;

describe('the form of a subscription', () => {
  it('sends back what it was given, with what it does not show', () => {
    const { name, flag, notes, conditions, instructions } = subscription;
    expect(toFields(toValues(subscription), subscription)).toEqual({ name, flag, notes, conditions, instructions });
  });

  it('reads conditions as the payload has them, and leaves out those that are empty', () => {
    const values = { ...toValues(null), conditions: { mediaContainerId: '7', role: 'subtitles', language: '' } };
    expect(toFields(values, null)).toMatchObject({ flag: 0, conditions: { payload: { mediaContainerId: 7, role: 'subtitles' } } });
    expect(toFields({ ...values, conditions: {} }, null).conditions).toBeNull();
  });

  it('knows JSON, and the field of a path', () => {
    expect(['', '{"a":1}', '7', '"text"', '{"a":', 'text'].map(isJson)).toEqual([true, true, true, true, false, false]);
    expect(['conditions.payload.dropsiteId', 'instructions.0.to.1.recipient', 'instructions.0.url'].map(fieldOf)).toEqual([
      'conditions.dropsiteId',
      'instructions.0.to',
      'instructions.0.url',
    ]);
  });

  it('has no values of headers where it has to be without secrets', () => {
    const values = toValues(subscription as Subscription);
    const [first, ...rest] = values.instructions;
    if (!first) throw new Error('The subscription has no instruction.');
    const headers = 'x-api-key: ********\nauthorization: Bearer s3cret:x\nx-name';
    const stripped = withoutSecrets({ ...values, instructions: [{ ...first, headers }, ...rest] });
    expect(stripped).toEqual({ ...values, instructions: [{ ...first, headers: 'x-api-key: ********\nauthorization: \nx-name' }, ...rest] });
  });
});
