import { startSite } from './site.js';

/** The web site of a client application, on another site than the service (127.0.0.1 against localhost). */
export interface ClientSite {
  readonly redirectUri: string;
  close(): Promise<void>;
}

export async function startClientSite(): Promise<ClientSite> {
  const { origin, close } = await startSite('127.0.0.1', () => ({ html: '<title>The client</title><h1>Welcome back</h1>' }));
  return { redirectUri: `${origin}/callback`, close };
}
