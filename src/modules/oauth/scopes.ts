/** The scopes that an application may request, with their English texts on the consent page. */
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

/** Returns the known scopes of a space-separated list, each once. */
export function knownScopes(scope: string): Scope[] {
  return [...new Set(scope.split(' '))].filter((name): name is Scope => Object.hasOwn(SCOPES, name));
}

/** Returns a list of scopes and those that they include: `api` includes `api:read`. */
export function withIncludedScopes(scope: string): string[] {
  const names = scope.split(' ').filter(Boolean);
  return names.includes('api') && !names.includes('api:read') ? [...names, 'api:read'] : names;
}
