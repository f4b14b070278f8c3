/**
 * oidc-provider announces on Node 20 that it wants Node 22. It works on both, which our tests show on the one they run on, so the first
 * line that an operator sees need not be a warning about nothing. Only this line is kept back. Import this before anything else.
 */
const KNOWN = 'oidc-provider WARNING: Unsupported runtime.';

const { warn } = console;
console.warn = (...words: unknown[]) => {
  if (!String(words[0]).includes(KNOWN)) return warn.apply(console, words);
  console.warn = warn;
};
