/**
 * Suppresses the notices of oidc-provider and the AWS SDK on Node 20 that they want Node 22, and nothing else. Both work on Node 20 and 22; the
 * tests prove it for the version on which they run. An operator should not see a pointless warning first. Import this module before any other.
 */
process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= 'true';

const KNOWN = 'oidc-provider WARNING: Unsupported runtime.';

const { warn } = console;
console.warn = (...words: unknown[]) => {
  if (!String(words[0]).includes(KNOWN)) return warn.apply(console, words);
  console.warn = warn;
};
