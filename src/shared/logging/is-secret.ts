const SECRET =
  /password|passwd|pwd|passphrase|apikey|secret|token|cookie|credential|assertion|codeverifier|signingkey|privatekey|databaseurl|connectionstring|smtpurl|sealed/;
const SECRET_ALONE = new Set(['authorization', 'proxyauthorization', 'code', 'authorizationcode', 'd']); // `d` is the private part of a JWK

/** Whether what stands under this name is a secret, in any spelling of the name. */
export function isSecret(name: string): boolean {
  const plain = name.replace(/[-_. ]/g, '').toLowerCase();
  return SECRET_ALONE.has(plain) || SECRET.test(plain);
}
