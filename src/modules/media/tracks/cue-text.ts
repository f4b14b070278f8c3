/** Elements that a cue may contain (WebVTT section 4.2.2); others are omitted, but their content is kept. */
const ELEMENTS: ReadonlySet<string> = new Set(['b', 'i', 'u', 'c', 'v', 'lang', 'ruby', 'rt']);
/** Players build a tree of the elements, whose depth must be limited. */
const MAX_DEPTH = 16;
const MAX_CLASSES = 8;

/** A tag, a character reference, another special character, or text. No alternative scans further than the maximum length of a tag. */
const TOKEN = /<([^<>]{0,1000})>|(&(?:#\d{1,7}|#[xX][\da-fA-F]{1,6}|[A-Za-z][A-Za-z\d]{1,30});)|[<>&]|[^<>&]+/g;
const TAG = /^(\/?)([A-Za-z]+)((?:\.[^\s.]*)*)\/?(?:\s+(.*))?$/s;
const TIMESTAMP = /^(?:\d{2,4}:)?\d{2}:\d{2}\.\d{3}$/;
const CLASS = /^[\p{L}\p{N}_-]{1,64}$/u;
const LANGUAGE = /^[A-Za-z\d-]{1,35}$/;

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '=': '&#61;',
  '/': '&#47;',
};

/**
 * Converts the text of a cue to valid WebVTT: elements are known, closed and not nested too deeply; everything else is text. Escapes annotations,
 * so that even a page that treats the text as HTML runs no part of it.
 */
export function cueText(source: string): string {
  let written = '';
  const open: string[] = [];
  const closeTo = (depth: number): void => {
    while (open.length > depth) written += `</${open.pop()}>`;
  };
  for (const [token, tag, reference] of source.matchAll(TOKEN)) {
    if (tag === undefined) {
      written += reference ?? ESCAPES[token] ?? token;
      continue;
    }
    if (TIMESTAMP.test(tag)) {
      written += token;
      continue;
    }
    const found = TAG.exec(tag);
    if (!found) written += `&lt;${escapeText(tag, /&/g)}&gt;`; // such as a comparison
    const [, slash, name = '', classes = '', annotation = ''] = found ?? [];
    const element = name.toLowerCase();
    if (element === 'br') written += '\n';
    if (!ELEMENTS.has(element)) continue;
    const depth = open.lastIndexOf(element);
    if (slash) {
      if (depth !== -1) closeTo(depth);
      continue;
    }
    if (element === 'v' && depth !== -1) closeTo(depth); // one voice ends where the next begins
    const started = open.length < MAX_DEPTH ? startTag(element, classes, annotation.trim()) : null;
    if (started === null || (element === 'rt' && !open.includes('ruby'))) continue;
    written += started;
    open.push(element);
  }
  closeTo(0);
  return written;
}

/** Builds a start tag; null: the element lacks a required part. Only voices and languages have an annotation. */
function startTag(element: string, classes: string, annotation: string): string | null {
  const known = classes.split('.').filter((name) => CLASS.test(name));
  const start = [element, ...known.slice(0, MAX_CLASSES)].join('.');
  if (element === 'v') return annotation === '' ? null : `<${start} ${escapeText(annotation.replace(/\s+/g, ' '), /[&"'=/]/g)}>`;
  if (element === 'lang') return LANGUAGE.test(annotation) ? `<${start} ${annotation}>` : null;
  return `<${start}>`;
}

const REFERENCE = /(&(?:#\d{1,7}|#[xX][\da-fA-F]{1,6}|[A-Za-z][A-Za-z\d]{1,30});)/;

/** Escapes these characters, except in character references. */
const escapeText = (text: string, characters: RegExp): string =>
  text
    .split(REFERENCE)
    .map((part, index) => (index % 2 === 1 ? part : part.replace(characters, (character) => ESCAPES[character] ?? character)))
    .join('');
