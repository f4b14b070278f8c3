import { type SiteHost, startSite } from './site.js';

/** The web site of a client application, on another site than the service (127.0.0.1 against localhost). */
export interface ClientSite {
  readonly redirectUri: string;
  close(): Promise<void>;
}

/** `forwardTo`: the origin of another site, to which it redirects every request with its path and query. */
export async function startClientSite({
  host = '127.0.0.1',
  forwardTo,
}: {
  host?: SiteHost;
  forwardTo?: string;
} = {}): Promise<ClientSite> {
  const { origin, close } = await startSite(host, ({ pathname, search }) => ({
    html: '<title>The client</title><h1>Welcome back</h1>',
    ...(forwardTo && { location: `${forwardTo}${pathname}${search}` }),
  }));
  return { redirectUri: `${origin}/callback`, close };
}
