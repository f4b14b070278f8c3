import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { erasedAddress, isErasedAddress, PersonPattern } from './person-pattern.js';

const patternOf = (email: string, firstname = '', lastname = '') =>
  new PersonPattern({ email, names: [{ firstname, lastname }], userIds: [17] }, erasedAddress(17));
const ada = patternOf('ada@example.org', 'Ada', 'Lovelace');
const ERASED = 'erased-17@erased.invalid';
const RECORD = { inUrls: true, withNames: true };
const IN_USE = { inUrls: false, withNames: true };
const OWN = { ...IN_USE, isOwn: true, isMentioned: false };
const FOREIGN = { ...IN_USE, isOwn: false, isMentioned: false };

describe('the address of a person', () => {
  it.each([
    ['ada@example.org', ERASED],
    ['"Ada" <ADA@Example.ORG>', `"Ada" <${ERASED}>`],
    ['Write to ada@example.org.', `Write to ${ERASED}.`],
    ['first\\nada@example.org', `first\\n${ERASED}`],
    ['mailto%3Aada@example.org', `mailto%3A${ERASED}`],
    ['https://crm.example/x ada@example.org', `https://crm.example/x ${ERASED}`],
  ])('is erased from %j', (text, erased) => {
    expect(ada.erase(text, IN_USE)).toBe(erased);
    expect(ada.isIn(text)).toBe(true);
  });

  it.each([
    ['https://crm.example/?who=ada%40example.org&x=1', `https://crm.example/?who=${ERASED.replace('@', '%40')}&x=1`],
    ['https://crm.example/ada@example.org', `https://crm.example/${ERASED}`],
  ])('stays in %j as long as the URL is in use', (text, erased) => {
    expect([ada.erase(text, IN_USE), ada.erase(text, RECORD)]).toEqual([text, erased]);
    expect(ada.isIn(text)).toBe(true);
  });

  it.each([
    'https://ada@example.org/x',
    'smtp://ada%40example.org:secret@mail.example',
    String.raw`https:\/\/ada@example.org\/x`,
    'https%3A%2F%2Fada%40example.org%2Fx',
    'https://a.example/?next=https://ada@example.org/',
  ])('is never taken from the host of %j', (text) => {
    expect([ada.erase(text, IN_USE), ada.erase(text, RECORD)]).toEqual([text, text]);
  });

  it.each(['nada@example.org', 'x.ada@example.org', 'ada@example.org.uk', 'ada@example.orgs', 'ada@example-org'])(
    'is not that of %j',
    (text) => {
      expect([ada.erase(text, RECORD), ada.isIn(text)]).toEqual([text, false]);
    },
  );

  it('is found with its domain in Unicode, decomposed and in upper case', () => {
    const joerg = patternOf('jörg@xn--exmple-cua.test');
    const texts = ['jörg@xn--exmple-cua.test', 'JÖRG@EXÄMPLE.test', 'jörg@exämple.test', 'j\\u00f6rg@ex\\u00e4mple.test'];
    expect(texts.map((text) => joerg.erase(text, IN_USE))).toEqual(texts.map(() => ERASED));
  });

  it('is found in a megabyte of beginnings of URLs and addresses', () => {
    const text = `${'://a'.repeat(150_000)} ${'ada@'.repeat(100_000)} ada@example.org`;
    expect(ada.erase(text, RECORD).endsWith(` ${ERASED}`)).toBe(true);
  });
});

describe('the full name of a person', () => {
  it.each([
    ['asked by Ada Lovelace, by letter', 'asked by [erased], by letter'],
    ['LOVELACE, Ada', '[erased]'],
    ['"Ada\n Lovelace"', '"[erased]"'],
    [String.raw`first\nAda Lovelace`, String.raw`first\n[erased]`],
    ['IMG_Ada_Lovelace_2.jpg', 'IMG_[erased]_2.jpg'],
    ["Ada Lovelace's photo (Ada&nbsp;Lovelace)", "[erased]'s photo ([erased])"],
    ['Ada Lovelace <ada@example.org>', `[erased] <${ERASED}>`],
  ])('is erased from %j', (text, erased) => {
    expect(ada.erase(text, IN_USE)).toBe(erased);
    expect(ada.erase(text, { ...IN_USE, withNames: false })).toBe(text.replace('ada@example.org', ERASED));
  });

  it.each(
    [
      [
        'Ada',
        'the Lovelace papers',
        'Nada Lovelace',
        'Ada Lovelaces',
        'Ada Lovelace-King',
        'Mary-Ada Lovelace',
        'ada.lovelace',
        'Ada and Lovelace',
      ],
      ['ada.lovelace.example', 'ada_lovelace@other.example', 'https://ada_lovelace.example/x', 'https://crm.example/?who=Ada+Lovelace'],
    ].flat(),
  )('is not in %j', (text) => {
    expect(ada.erase(text, IN_USE)).toBe(text);
  });

  it('is erased from records of URLs, but not from their hosts', () => {
    expect(ada.erase('https://crm.example/?who=Ada+Lovelace&by=lovelace%2C%20ada', RECORD)).toBe(
      'https://crm.example/?who=[erased]&by=[erased]',
    );
    expect(ada.erase('https://ada_lovelace@crm.example/', RECORD)).toBe('https://ada_lovelace@crm.example/');
  });

  it('is found in every written form of names of several words', () => {
    const person = patternOf('zoe@example.org', 'Zoë Anne', "van O'Quill");
    const texts = ["Zoë Anne van O'Quill", 'ZOE\u0308 ANNE VAN O&#39;QUILL', "van O'Quill, Zo\\u00eb Anne", "zo%C3%AB_anne_van_o'quill"];
    expect(texts.map((text) => person.erase(text, IN_USE))).toEqual(texts.map(() => '[erased]'));
    expect(person.erase("Anne van O'Quill", IN_USE)).toBe("Anne van O'Quill");
  });

  it('is found in a megabyte of beginnings of names', () => {
    const text = `${'Ada '.repeat(150_000)}${'Ada_,'.repeat(100_000)}Lovelace`;
    expect(ada.erase(text, RECORD).endsWith('Ada_,[erased]')).toBe(true);
  });
});

describe('the names of a person', () => {
  it.each(['hooks', 'acme', 'The'])('are words in texts if they are %j', (name) => {
    const person = patternOf('hooks@acme.example', name);
    const texts = ['https://hooks.acme.example/x', '*.acme.example', 'hooks', 'The sea by acme', 'hooks acme'];
    const json = JSON.stringify({ url: texts[0], matchReferer: [texts[1]], tags: texts, title: name, content: name, name, [name]: name });
    expect(texts.map((text) => person.erase(text, RECORD))).toEqual(texts);
    for (const relation of [OWN, FOREIGN, { ...RECORD, isOwn: true, isMentioned: true }])
      expect(person.eraseJson(json, relation)).toBe(json);
  });

  it('are erased from an object with the address or the id of the person, and from no other', () => {
    const json =
      '[{"id": 17, "firstname": "Ada"}, {"email": "ADA@example.org", "given_name": "A.", "name": "Ada"}, {"id": 17, "email": "ada@other.example", "lastname": "Lovelace"}, {"id": 18, "firstname": "Ada"}, {"firstname": "Ada"}]';
    expect(ada.eraseJson(json, OWN)).toBe(
      `[{"id": 17, "firstname": "[erased]"}, {"email": "${ERASED}", "given_name": "[erased]", "name": "Ada"}, {"id": 17, "email": "ada@other.example", "lastname": "Lovelace"}, {"id": 18, "firstname": "Ada"}, {"firstname": "Ada"}]`,
    );
  });

  it('are erased from documents that belong to the person or contain the address', () => {
    const json = '{"senderName": "Ada  Lovelace", "requesterName": "Ada", "message": "Ada Lovelace", "Lovelace, Ada": [{"title": "Ada"}]}';
    const erased = '{"senderName": "[erased]", "requesterName": "Ada", "message": "[erased]", "[erased]": [{"title": "Ada"}]}';
    expect(ada.eraseJson(json, OWN)).toBe(erased);
    expect(ada.eraseJson(json, FOREIGN)).toBe(json);
    expect(ada.eraseJson(`[${json}, "ada@example.org"]`, FOREIGN)).toBe(`[${erased}, "${ERASED}"]`);
  });

  it('are erased from parameters of e-mails, also those of people with one name', () => {
    const json = '{"senderName": "Ada", "message": "Ada asks"}';
    expect(patternOf('ada@example.org', 'Ada').eraseJson(json, OWN)).toBe('{"senderName": "[erased]", "message": "Ada asks"}');
  });
});

describe('a JSON document', () => {
  it('keeps its numbers, spaces and member names, apart from the address', () => {
    const json =
      '{"to": ["ada@example.org"], "n": 12345678901234567890, "__proto__": {"id": 17}, "ada@example.org" : 1.10, "text": "a\\n\\"b\\""}';
    expect(ada.eraseJson(json, OWN)).toBe(json.replaceAll('ada@example.org', ERASED));
  });

  it('stays the same document if it does not mention the person', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const json = JSON.stringify(value);
        expect(patternOf('☃@example.org', '☃', '☄').eraseJson(json, { ...RECORD, isOwn: true, isMentioned: true })).toBe(json);
      }),
    );
  });

  it('no longer contains the address, wherever it was', () => {
    const written = fc.constantFrom('ada@example.org', 'ADA@EXAMPLE.ORG', 'https://crm.example/?q=ada@example.org');
    const text = fc.tuple(fc.string(), written, fc.string()).map(([before, middle, after]) => `${before} ${middle} ${after}`);
    fc.assert(
      fc.property(fc.dictionary(fc.string(), text), (document) => {
        const erased = ada.eraseJson(JSON.stringify(document), { ...OWN, ...RECORD });
        expect(Object.values(JSON.parse(erased)).join('\n').toLowerCase()).not.toMatch(/ada@example\.org /);
      }),
    );
  });
});

it('knows the addresses of erased users', () => {
  expect([erasedAddress(17), erasedAddress(null), 'ada@example.org'].map(isErasedAddress)).toEqual([true, true, false]);
});
