import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { FilledTooLong, fillPlaceholders, fillText, fillUrl, placeholdersIn } from './placeholders.js';

const values = {
  mediaContainerId: 31,
  name: 'Ada & Co',
  email: null,
  ok: false,
  items: [4, { id: 5 }],
  downloadLink: { url: 'https://dl.example/l/1', link: { id: 9 } },
  nothing: undefined,
  template: ':name',
};

describe('placeholders', () => {
  it.each([
    [':mediaContainerId', 31],
    [':ok', false],
    [':email', null],
    [':items', [4, { id: 5 }]],
    [':items.0', 4],
    [':items.1.id', 5],
    [':downloadLink.link', { id: 9 }],
  ])('keep the type of %s if it is the whole text', (template, expected) => {
    expect(fillPlaceholders(template, values)).toEqual(expected);
  });

  it.each([
    ['id=:mediaContainerId, ok=:ok', 'id=31, ok=false'],
    ['Dear :name.', 'Dear Ada & Co.'],
    ['Dear :name.Thanks', 'Dear Ada & Co.Thanks'],
    [':name.Thanks', 'Ada & Co.Thanks'],
    [':downloadLink.url.', 'https://dl.example/l/1.'],
    ['<:email>', '<>'],
    ['all: :items', 'all: [4,{"id":5}]'],
    [':mediaContainerId:name', '31Ada & Co'],
    ['(:name)', '(Ada & Co)'],
  ])('are text inside text: %s', (template, expected) => {
    expect(fillPlaceholders(template, values)).toBe(expected);
    expect(fillText(template, values)).toBe(expected);
  });

  it.each([
    ':unknown',
    'a :unknown.name b',
    ':nothing',
    'https://host:8080/x',
    '10:30',
    '::name',
    'a::name',
    ':-name',
    ': name',
    ':constructor',
    ':__proto__',
    ':toString.length',
    ':Name',
  ])('leave %s unchanged', (text) => {
    expect(fillPlaceholders(text, values)).toBe(text);
    expect(fillText(text, values)).toBe(text);
  });

  it('are found at every depth, but not in keys', () => {
    const template = { ':name': [{ to: ':mediaContainerId' }, 7, null, true], deep: { text: 'x :name' } };
    expect(fillPlaceholders(template, values)).toEqual({ ':name': [{ to: 31 }, 7, null, true], deep: { text: 'x Ada & Co' } });
  });

  it('see own properties only, at every step', () => {
    const inherited = Object.create({ secret: 's' }) as Record<string, unknown>;
    expect(fillText(':secret', inherited)).toBe(':secret');
    expect(fillText(':holder.secret', { holder: inherited })).toBe('{}.secret');
    expect(fillText(':name.length', values)).toBe('Ada & Co.length');
  });

  it('are not replaced in inserted values', () => {
    expect(fillText(':template', values)).toBe(':name');
    expect(fillPlaceholders({ a: ':template', b: 'x:template' }, values)).toEqual({ a: ':name', b: 'x:name' });
  });

  it('do not make a large instruction of a small one', () => {
    const long = { text: 'x'.repeat(65_536), list: Array.from({ length: 32_768 }, () => 1) };
    const times = (count: number, name: string) => Array.from({ length: count }, () => name);
    for (const name of [':text', '7:text', ':list', '7:list']) {
      expect(() => fillPlaceholders(times(3, name), long)).not.toThrow();
      expect(() => fillPlaceholders({ deep: times(5, name) }, long)).toThrow(FilledTooLong);
      expect(() => fillText(times(5, name).join(' '), long)).toThrow(FilledTooLong);
      expect(() => fillUrl(times(5, name).join('/'), long)).toThrow(FilledTooLong);
    }
  });

  it('keep a key called __proto__ a key', () => {
    const filled = fillPlaceholders(JSON.parse('{"__proto__": {"polluted": ":name"}}'), values);
    expect(JSON.stringify(filled)).toBe('{"__proto__":{"polluted":"Ada & Co"}}');
    expect(Object.getPrototypeOf(filled)).toBe(Object.prototype);
  });

  it('are listed once each, as written', () => {
    expect(placeholdersIn({ a: ':x and :y.0', b: [':x', { c: '::z' }], ':key': 1 })).toEqual(['x', 'y.0']);
    expect(placeholdersIn('https://host:8080/:id')).toEqual(['id']);
    expect(placeholdersIn(7)).toEqual([]);
  });

  it('change nothing but strings with their names', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (template) => {
        expect(JSON.stringify(fillPlaceholders(template, {}))).toBe(JSON.stringify(template));
      }),
    );
  });

  it('insert any value unchanged', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.string(), (value, text) => {
        expect(fillPlaceholders([':value'], { value })).toEqual([value]);
        expect(fillText('<:text>', { text, [text]: 'again' })).toBe(`<${text}>`);
      }),
    );
  });
});

describe('placeholders in an address', () => {
  it.each([
    ['v5/mediacontainer/:mediaContainerId?q=:name', 'v5/mediacontainer/31?q=Ada%20%26%20Co'],
    ['https://a.example:8080/:name#:ok', 'https://a.example:8080/Ada%20%26%20Co#false'],
    ['https://a.example?x=:items.0', 'https://a.example?x=4'],
  ])('are percent-encoded: %s', (template, expected) => {
    expect(fillUrl(template, values)).toBe(expected);
  });

  it.each(['https://:name/x', 'https://:name.example', 'https:::name', 'https:\\\\:name\\x', '\u0001 ht\ttps://u:name@h'])(
    'say nothing about where a request goes: %j',
    (template) => {
      const host = (url: string) => new URL(url.replace(/:name|::/, 'name')).host;
      expect(fillUrl(template, { name: 'evil.example' })).not.toContain('evil.example');
      expect(host(fillUrl(template, { name: 'evil.example' }))).toBe(host(template));
    },
  );

  it('never add a segment, a parameter or a fragment', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (value) => {
        fc.pre(!/^\.{1,2}$/.test(value));
        const url = new URL(fillUrl('https://a.example/x/:value/y?z=:value', { value }));
        const path = url.pathname.split('/');
        expect([url.origin, path.length, path[1], path[3], [...url.searchParams.keys()], url.hash]).toEqual([
          'https://a.example',
          4,
          'x',
          'y',
          ['z'],
          '',
        ]);
        expect(decodeURIComponent(path[2] ?? '')).toBe(value.replace(/\p{Surrogate}/gu, '\ufffd'));
      }),
    );
  });
});
