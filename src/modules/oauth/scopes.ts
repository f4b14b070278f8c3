/** Heading of the consent page; consent.eta has the rest of its words. */
export const CONSENT_TITLE = 'Allow access?';

/** What an application may ask for, with the words of the consent page. */
export const SCOPES = {
  openid: { label: 'Sign you in', text: 'Know who you are in this service (your user id).' },
  profile: { label: 'See your name', text: 'Read your first and last name.' },
  email: { label: 'See your e-mail address', text: 'Read the e-mail address of your account.' },
  offline_access: { label: 'Stay connected', text: 'Keep acting for you when you are not using it, until you revoke it.' },
  api: { label: 'Act for you', text: 'Do everything that you may do: upload, change, deliver and delete media.' },
  'api:read': { label: 'Read your media', text: 'See what you may see, without changing anything.' },
} as const;

export type Scope = keyof typeof SCOPES;

export const DEFAULT_SCOPE: Scope = 'api';
export const ALL_SCOPES = Object.keys(SCOPES).join(' ');

/** The known scopes of a space-separated list, each once. */
export function knownScopes(scope: string): Scope[] {
  return [...new Set(scope.split(' '))].filter((name): name is Scope => Object.hasOwn(SCOPES, name));
}

/** A list of scopes together with the ones that they include: `api` includes `api:read`, because it allows everything that reading does. */
export function withIncludedScopes(scope: string): string[] {
  const names = scope.split(' ').filter(Boolean);
  return names.includes('api') && !names.includes('api:read') ? [...names, 'api:read'] : names;
}
