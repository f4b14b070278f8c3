import type { FieldProblem } from '../../../shared/errors.js';
import type { Client } from './client.entity.js';
import { findRedirectUriProblem } from './redirect-uris.js';

/** What has to fit together: the settings of a client after a change. */
interface ClientSettings {
  /** Absent: not known. */
  readonly type?: Client['type'] | undefined;
  readonly redirectUris: readonly string[];
  readonly postLogoutRedirectUris: readonly string[];
  readonly grantTypes: readonly string[];
  readonly hasServiceUser: boolean;
  readonly confidential: boolean;
}

/** The problems of a client's settings, by field; the shape of each field is already known to be right. */
export function findClientProblems(client: ClientSettings): FieldProblem[] {
  const { type, redirectUris, postLogoutRedirectUris, grantTypes, hasServiceUser, confidential } = client;
  const problems = Object.entries({ redirectUris, postLogoutRedirectUris }).flatMap(([list, uris]) =>
    uris.flatMap((uri, index) => {
      const problem = findRedirectUriProblem(uri, type);
      return problem === null ? [] : [{ path: `${list}.${index}`, code: 'redirect_uri', message: problem }];
    }),
  );
  const needs = (path: string, message: string) => problems.push({ path, code: 'required', message });
  if (grantTypes.includes('authorization_code') && redirectUris.length === 0)
    needs('redirectUris', 'must name at least one, because of the grant type authorization_code');
  if (grantTypes.includes('client_credentials') && !hasServiceUser)
    needs('serviceUserId', 'is required, because of the grant type client_credentials');
  if (grantTypes.includes('client_credentials') && !confidential)
    needs('confidential', 'must not be false, because of the grant type client_credentials');
  return problems;
}
