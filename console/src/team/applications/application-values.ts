import { enumerations } from '@media-delivery/sdk';
import type { Application, ApplicationChanges, NewApplication } from './queries';

export const { type: TYPES, 'grantTypes[]': GRANT_TYPES } = enumerations.CreateClientDto;
export type ApplicationType = (typeof TYPES)[number];

export type GrantType = (typeof GRANT_TYPES)[number];

/** What the form of an application contains. */
export interface ApplicationValues extends Record<string, unknown> {
  readonly name: string;
  /** Empty: it is generated. */
  readonly clientId: string;
  readonly type: ApplicationType;
  /** One in each line. */
  readonly redirectUris: string;
  /** One in each line. */
  readonly postLogoutRedirectUris: string;
  readonly grantTypes: GrantType[];
  readonly confidential: boolean;
  readonly requirePkce: boolean;
  /** The id as text; null: none. */
  readonly serviceUserId: string | null;
  readonly firstParty: boolean;
  readonly framedConsent: boolean;
}

const NEW: ApplicationValues = {
  ...{ name: '', clientId: '', type: 'web', redirectUris: '', postLogoutRedirectUris: '', serviceUserId: null },
  ...{
    grantTypes: ['authorization_code', 'refresh_token'],
    confidential: false,
    requirePkce: true,
    firstParty: false,
    framedConsent: false,
  },
};

/** The form of an application, or of a new one. */
export function toValues(application: Application | null): ApplicationValues {
  if (!application) return NEW;
  const { name, clientId, type, redirectUris, postLogoutRedirectUris, grantTypes, confidential, requirePkce, serviceUserId } = application;
  return {
    ...{ name, clientId, type, confidential, requirePkce, firstParty: application.firstParty, framedConsent: application.framedConsent },
    redirectUris: redirectUris.join('\n'),
    postLogoutRedirectUris: postLogoutRedirectUris.join('\n'),
    grantTypes: GRANT_TYPES.filter((grant) => grantTypes.includes(grant)),
    serviceUserId: serviceUserId === null ? null : String(serviceUserId),
  };
}

/** What is sent to change an application: of `confidential` and what only operators may set, only what has changed. */
export function toChanges(values: ApplicationValues, initial: ApplicationValues): ApplicationChanges {
  const { name, type, grantTypes, requirePkce } = values;
  const changed = (['confidential', 'firstParty', 'framedConsent'] as const).filter((field) => values[field] !== initial[field]);
  return {
    ...{ name, type, grantTypes, requirePkce },
    redirectUris: linesOf(values.redirectUris),
    postLogoutRedirectUris: linesOf(values.postLogoutRedirectUris),
    serviceUserId: values.serviceUserId === null || !grantTypes.includes('client_credentials') ? null : Number(values.serviceUserId),
    ...Object.fromEntries(changed.map((field) => [field, values[field]])),
  };
}

/** What is sent to create an application. */
export function toNew(values: ApplicationValues): NewApplication {
  const clientId = values.clientId.trim();
  const { name, type, redirectUris, ...rest } = { ...toChanges(values, NEW), confidential: values.confidential };
  return { name: name ?? '', type: type ?? 'web', redirectUris: redirectUris ?? [], ...rest, ...(clientId && { clientId }) };
}

export const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);

/** The field of the form that a path of the input belongs to. */
export const fieldOf = (path: string): string => path.replace(/^(redirectUris|postLogoutRedirectUris|grantTypes)\..*/, '$1');
