/** The cursor of the next page, from the `Link` header (RFC 8288); undefined at the end. */
export function nextCursor(response: Response): string | undefined {
  const [, url] = /<([^>]+)>;\s*rel="?next"?/.exec(response.headers.get('link') ?? '') ?? [];
  return url ? (new URL(url, location.origin).searchParams.get('cursor') ?? undefined) : undefined;
}
