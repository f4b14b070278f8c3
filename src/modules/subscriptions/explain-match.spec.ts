import { describe, expect, it } from '@jest/globals';
import { explainMatch } from './explain-match.js';

const anEvent = { name: 'event:s3success', method: 'create', payload: { mediaContainerId: 7, tags: ['a', 'b'], by: { id: 3 } } } as const;
const aSubscription = { name: 'event:s3success', methods: null, payload: null, processedAt: null } as const;

describe('the match of a subscription and an event', () => {
  it.each([
    ['has no conditions', {}],
    ['names the method', { methods: ['update' as const, 'create' as const] }],
    ['has a payload without anything', { payload: {} }],
    ['names a part of the payload', { payload: { by: {}, mediaContainerId: 7 } }],
    ['names elements of a list in any order and number', { payload: { tags: ['b', 'a', 'b'] } }],
  ])('is there when the subscription %s', (_, fields) => {
    expect(explainMatch({ ...aSubscription, ...fields }, anEvent)).toEqual([]);
  });

  it('fails for each condition with its reason', () => {
    const processedAt = new Date(0);
    const payload = { mediaContainerId: 8, missing: null, tags: ['a', 'c'], by: { id: [3] } };
    expect(explainMatch({ name: 'event:uploadComplete', methods: ['update'], payload, processedAt }, anEvent)).toEqual([
      { condition: 'name', path: 'name', expected: 'event:uploadComplete', actual: 'event:s3success' },
      { condition: 'methods', path: 'methods', expected: ['update'], actual: 'create' },
      { condition: 'payload', path: 'payload.mediaContainerId', expected: 8, actual: 7 },
      { condition: 'payload', path: 'payload.missing', expected: null, actual: null },
      { condition: 'payload', path: 'payload.tags.1', expected: 'c', actual: ['a', 'b'] },
      { condition: 'payload', path: 'payload.by.id', expected: [3], actual: 3 },
      { condition: 'flag', path: 'processedAt', expected: null, actual: processedAt },
    ]);
  });

  it('shows a list once, however much of it is missing', () => {
    const reasons = explainMatch({ ...aSubscription, payload: { tags: ['a', 'c', 'd'] } }, anEvent);
    expect(reasons).toEqual([{ condition: 'payload', path: 'payload.tags.1', expected: 'c', actual: ['a', 'b'] }]);
  });

  it('ignores prototypes', () => {
    expect(explainMatch({ ...aSubscription, payload: { constructor: 1 } }, anEvent)).toHaveLength(1);
  });
});
