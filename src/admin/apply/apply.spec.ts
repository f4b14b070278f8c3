import { describe, expect, it } from '@jest/globals';
import { parseDocument } from './apply.js';

const parse = (text: string) => parseDocument(text, 'seed');

describe('a provisioning file', () => {
  const content = { customers: [{ name: 'Acme', supportAccessUntil: '2030-01-01T00:00:00Z' }] };

  it.each([
    ['YAML', 'customers:\n  - name: Acme\n    supportAccessUntil: 2030-01-01T00:00:00Z\n'],
    ['JSON', JSON.stringify(content)],
    ['JSON indented by tabs', JSON.stringify(content, null, '\t')],
    ['JSON after a byte order mark', `\ufeff${JSON.stringify(content)}`],
  ])('can be %s', (_kind, text) => {
    expect(parse(text)).toEqual(content);
  });

  it.each([
    ['', 'seed is empty.'],
    ['# nothing but a comment', 'seed is empty.'],
    ['Acme', 'not a single string'],
    ['[{"name":"Acme"}]', 'not a list'],
    ['customers: [', 'line 1, column 13'],
    ['{"customers":[],"customers":[]}', 'Map keys must be unique at line 1, column 17'],
    ['customers: !secret x', 'Unresolved tag'],
    ['customers: *unknown', 'Unresolved alias'],
    ['a: 1\n---\nb: 2', 'multiple documents'],
  ])('cannot be %j', (text, problem) => {
    expect(() => parse(text)).toThrow(problem);
  });

  it('is not quoted in messages, because it may hold passwords', () => {
    expect(() => parse('users: [{ password: "hunter2 }]')).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('hunter2') }),
    );
  });
});
