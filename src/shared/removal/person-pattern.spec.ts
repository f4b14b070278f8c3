import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { erasedAddress, isErasedAddress, PersonPattern } from './person-pattern.js';

const ALL = { names: true, nameParts: true };
const ada = new PersonPattern({ email: 'ada@example.org', names: [{ firstname: 'Ada', lastname: 'Lovelace' }] }, erasedAddress(17));

describe('the address of a person', () => {
  it.each([
    ['ada@example.org', 'erased-17@erased.invalid'],
    ['"Ada" <ADA@Example.ORG>', '"Ada" <erased-17@erased.invalid>'],
    ['Write to ada@example.org.', 'Write to erased-17@erased.invalid.'],
    ['https://crm.example/?who=ada%40example.org&x=1', 'https://crm.example/?who=erased-17%40erased.invalid&x=1'],
    ['first\\nada@example.org', 'first\\nerased-17@erased.invalid'],
    ['mailto%3Aada@example.org', 'mailto%3Aerased-17@erased.invalid'],
  ])('is erased from %j', (text, erased) => {
    expect(ada.erase(text, { names: false, nameParts: false })).toBe(erased);
    expect(ada.isIn(text, { names: false })).toBe(true);
  });

  it.each(['nada@example.org', 'x.ada@example.org', 'ada@example.org.uk', 'ada@example.orgs', 'ada@example-org'])(
    'is not that of %j',
    (text) => {
      expect([ada.erase(text, { names: false, nameParts: false }), ada.isIn(text, ALL)]).toEqual([text, false]);
    },
  );
});

describe('the name of a person', () => {
  it.each([
    ['Photo: Ada Lovelace', 'Photo: [erased]'],
    ['LOVELACE, Ada', '[erased]'],
    ['ada_lovelace.jpg', '[erased].jpg'],
    ['Ada  Lovelace and others', '[erased] and others'],
    ['?author=Ada%20Lovelace', '?author=[erased]'],
  ])('is erased from %j', (text, erased) => {
    expect(ada.erase(text, { names: true, nameParts: false })).toBe(erased);
  });

  it('is erased in parts only where the text is about the person', () => {
    const text = 'Hello Ada, Ms Lovelace! (Adam, adage)';
    expect(ada.erase(text, { names: true, nameParts: false })).toBe(text);
    expect(ada.erase(text, ALL)).toBe('Hello [erased], Ms [erased]! (Adam, adage)');
  });

  it('is found in other Unicode forms and in escapes', () => {
    const name = { firstname: 'Zoë', lastname: "O'Brien" };
    const zoe = new PersonPattern({ email: 'zoe@example.org', names: [name] }, erasedAddress(null));
    const texts = ["Zoë O'Brien", "Zoe\u0308 O'Brien", "ZOË O'BRIEN", "Zo\\u00eb O'Brien", 'Zoë O&#39;Brien'];
    expect(texts.map((text) => zoe.erase(text, { names: true, nameParts: false }))).toEqual(texts.map(() => '[erased]'));
  });

  it('may be missing, or a single letter', () => {
    const unnamed = new PersonPattern({ email: 'x@example.org', names: [{ firstname: '', lastname: '' }] }, erasedAddress(1));
    expect(unnamed.erase('x and y', ALL)).toBe('x and y');
    const one = new PersonPattern({ email: 'x@example.org', names: [{ firstname: 'X', lastname: 'Y' }] }, erasedAddress(1));
    expect(one.erase('x or z; X Y', ALL)).toBe('x or z; [erased]');
  });
});

describe('a JSON document', () => {
  it('keeps its numbers and spaces, and its member names as far as they are words', () => {
    const json = '{"to": ["ada@example.org"], "n": 12345678901234567890, "Ada": "Ada", "ada@example.org" : 1.10, "text": "a\\n\\"Ada\\""}';
    expect(ada.eraseJson(json, ALL)).toBe(
      '{"to": ["erased-17@erased.invalid"], "n": 12345678901234567890, "Ada": "[erased]", "erased-17@erased.invalid" : 1.10, "text": "a\\n\\"[erased]\\""}',
    );
  });

  it('loses parts of names only in members whose values are words, where these are named', () => {
    const json =
      '[{"text": "Dear Ada", "lists": ["Ada"], "to": [{"text": ["Ada"], "recipient": "Ada <ada@example.org>"}]}, "Ada Lovelace"]';
    expect(ada.eraseJson(json, { ...ALL, members: ['text'] })).toBe(
      '[{"text": "Dear [erased]", "lists": ["Ada"], "to": [{"text": ["[erased]"], "recipient": "Ada <erased-17@erased.invalid>"}]}, "[erased]"]',
    );
  });

  it('stays the same document if it does not mention the person', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const other = new PersonPattern(
          { email: '\u2603@example.org', names: [{ firstname: '\u2603\u2603', lastname: '\u2604\u2604' }] },
          '',
        );
        fc.pre(!JSON.stringify(value).match(/[\u2603\u2604]/));
        expect(other.eraseJson(JSON.stringify(value), ALL)).toBe(JSON.stringify(value));
      }),
    );
  });

  it('no longer contains the person, wherever they were', () => {
    const written = fc.constantFrom('ada@example.org', 'Ada Lovelace', 'Lovelace', 'ADA@EXAMPLE.ORG');
    const text = fc.tuple(fc.string(), written, fc.string()).map(([before, middle, after]) => `${before} ${middle} ${after}`);
    fc.assert(
      fc.property(fc.dictionary(fc.string(), text), (document) => {
        const erased = ada.eraseJson(JSON.stringify(document), ALL);
        expect(() => JSON.parse(erased)).not.toThrow();
        expect(Object.values(JSON.parse(erased)).join('\n').toLowerCase()).not.toMatch(/ada@example\.org| lovelace /);
      }),
    );
  });
});

it('knows the addresses of erased users', () => {
  expect([erasedAddress(17), erasedAddress(null), 'ada@example.org'].map(isErasedAddress)).toEqual([true, true, false]);
});
