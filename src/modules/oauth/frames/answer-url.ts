/** A redirect URI with the answer in its query (RFC 6749 section 4.1.2). */
export function answerUrl(redirectUri: string, answer: Readonly<Record<string, unknown>>): string {
  const url = new URL(redirectUri);
  for (const [name, value] of Object.entries(answer)) url.searchParams.set(name, String(value));
  return url.href;
}
