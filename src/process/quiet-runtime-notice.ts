/**
 * oidc-provider and the AWS SDK announce on Node 20 that they want Node 22. They work on both, which our tests show on the one they run on,
 * so the first line that an operator sees need not be a warning about nothing. Only these are kept back. Import this before anything else.
 */
process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= 'true';

const KNOWN = 'oidc-provider WARNING: Unsupported runtime.';

const { warn } = console;
console.warn = (...words: unknown[]) => {
  if (!String(words[0]).includes(KNOWN)) return warn.apply(console, words);
  console.warn = warn;
};
