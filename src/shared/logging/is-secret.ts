const SECRET =
  /password|passwd|pwd|passphrase|apikey|secret|token|cookie|credential|assertion|codeverifier|signingkey|privatekey|databaseurl|connectionstring|smtpurl|sealed/;
/** `d` is the private part of a JWK; `auth`, `bearer`, `pass` and `pin` would be found in too many other words. */
const SECRET_ALONE = new Set(['authorization', 'proxyauthorization', 'auth', 'bearer', 'code', 'authorizationcode', 'd', 'pass', 'pin']);

/** Whether what stands under this name is a secret, in any spelling of the name. */
export function isSecret(name: string): boolean {
  const plain = name.replace(/[-_. ]/g, '').toLowerCase();
  return SECRET_ALONE.has(plain) || SECRET.test(plain);
}
