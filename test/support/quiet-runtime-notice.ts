/**
 * oidc-provider prints this whenever it is loaded by Node 20, once per test file; the tests are the proof that it works there. Only this
 * line is kept back.
 */
const KNOWN = 'oidc-provider WARNING: Unsupported runtime.';

const { warn } = console;
console.warn = (...words: unknown[]) => {
  if (!String(words[0]).includes(KNOWN)) return warn.apply(console, words);
  console.warn = warn;
};
