import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { policyCases } from '../../test/support/delivery/policy-cases.js';
import { allowedByAll, matchesPattern, parsePolicy } from './policy.js';

const letters = (alphabet: string) => fc.string({ unit: fc.constantFrom(...alphabet), maxLength: 12 });

function toRegExp(pattern: string): RegExp {
  const parts = Array.from(pattern, (one) => ({ '*': '.*', '?': '.' })[one] ?? one.replace(/[\\^$.|+()[\]{}]/, '\\$&'));
  return new RegExp(`^${parts.join('')}$`, 'su');
}

describe('A pattern', () => {
  it('matches the same texts as the equivalent regular expression', () => {
    fc.assert(
      fc.property(letters('ab/*?'), letters('ab/'), (pattern, text) => matchesPattern(pattern, text) === toRegExp(pattern).test(text)),
      {
        numRuns: 2_000,
      },
    );
  });

  it('treats special characters of regular expressions literally', () => {
    fc.assert(fc.property(letters('a.+()[]{}^$|\\🎬'), (text) => matchesPattern(text, text) && matchesPattern(`?${text}`, `🎬${text}`)));
  });

  it('takes no time for many stars', () => {
    expect(matchesPattern('*a'.repeat(50), 'a'.repeat(2_000).concat('b'))).toBe(false);
  });
});

describe('A policy', () => {
  const statement = (more: object) =>
    JSON.stringify({ Version: '2012-10-17', Statement: { Effect: 'Allow', Action: 's3:*', Resource: '*', ...more } });

  it.each([
    ['no JSON', '{'],
    ['a list', '[]'],
    ['no Statement', '{"Version":"2012-10-17"}'],
    ['an empty list of statements', '{"Version":"2012-10-17","Statement":[]}'],
    ['another Version', '{"Version":"2025-01-01","Statement":[]}'],
    ['another Effect', statement({ Effect: 'Perhaps' })],
    ['no Action', statement({ Action: undefined })],
    ['an empty list of actions', statement({ Action: [] })],
    ['an Action that is no text', statement({ Action: 1 })],
    ['an Action without a service', statement({ Action: 'PutObject' })],
    ['no Resource', statement({ Resource: undefined })],
    ['a Resource that is no ARN', statement({ Resource: 'media/x' })],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of AWS policies
    ['a variable', statement({ Resource: 'arn:aws:s3:::media/${aws:userid}/*' })],
    ['a Condition', statement({ Condition: {} })],
    ['a Principal', statement({ Principal: '*' })],
    ['NotAction', statement({ Action: undefined, NotAction: 's3:*' })],
    ['NotResource', statement({ Resource: undefined, NotResource: '*' })],
    ['an unknown element', statement({ Effects: 'Deny' })],
  ])('with %s is refused', (_name, text) => {
    expect(() => parsePolicy(text)).toThrow(expect.objectContaining({ code: 'MalformedPolicyDocument', status: 400 }));
  });

  it('comes to the verdicts of the reference', () => {
    const verdicts = policyCases(5_000, 7).map(({ policy, request, allowed }) => {
      const action =
        { PutObject: 'PutObject', CreateMultipartUpload: 'PutObject', ListObjects: 'ListBucket' }[request.operation as string] ??
        request.operation;
      const resource = request.key === '' ? 'arn:aws:s3:::media' : `arn:aws:s3:::media/${request.key}`;
      return allowedByAll([parsePolicy(policy)], { action: `s3:${action}`, resource }) === allowed;
    });
    expect(verdicts.filter((isRight) => !isRight)).toEqual([]);
  });

  it('permits only what every policy permits, and denies what one denies', () => {
    const put = { action: 's3:PutObject', resource: 'arn:aws:s3:::media/a' };
    const all = parsePolicy(statement({}));
    const denying = parsePolicy(statement({ Effect: 'Deny', Action: 's3:PutObject' }));
    const other = parsePolicy(statement({ Resource: 'arn:aws:s3:::media/b' }));
    expect(
      [[all], [all, all], [all, other], [all, denying], [[...all, ...denying]], [other]].map((policies) => allowedByAll(policies, put)),
    ).toEqual([true, true, false, false, false, false]);
  });
});
