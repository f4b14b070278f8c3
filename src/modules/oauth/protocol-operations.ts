import type { OpenAPIObject } from '@nestjs/swagger';
import { TokenResponse } from '../access/index.js';
import { IntrospectionResponse, JsonWebKeySetResponse, OAuthErrorResponse, ServerMetadataResponse } from './protocol.dto.js';
import { MAX_DEVICE_CHARACTERS, MAX_VERSION_CHARACTERS } from './provider/authorize-request.js';
import { ALL_SCOPES } from './scopes.js';

type Paths = OpenAPIObject['paths'];
type Parameter = { description: string; example?: unknown; required?: boolean; deprecated?: boolean; enum?: unknown[]; maxLength?: number };

const CLIENT = 'Client application identifier.';
const UNAVAILABLE = 'The database is unavailable; try again after the seconds of Retry-After.';

const authorizeParameters: Record<string, Parameter> = {
  client_id: { description: CLIENT, required: true, example: 'demo' },
  response_type: { description: 'Always code.', required: true, enum: ['code'], example: 'code' },
  redirect_uri: {
    description: 'One of the registered redirect URIs, character by character; may be omitted if only one is registered (deprecated).',
    example: 'http://localhost:8080/callback',
  },
  state: { description: 'Opaque value that is returned in the redirect; validate it.', example: 'af0ifjsldkj' },
  scope: { description: `Space-separated: ${ALL_SCOPES}. Default api.`, example: 'api' },
  code_challenge: { description: 'PKCE challenge (RFC 7636).', example: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM' },
  code_challenge_method: { description: 'PKCE method; ignored without a challenge.', enum: ['S256'], example: 'S256' },
  prompt: { description: 'none, login or consent (OpenID Connect Core section 3.1.2.1).', example: 'login' },
  device: {
    description: 'Device identifier (recommended); requests with the token must name it in x-service-device.',
    example: 'b7f1c0de',
    maxLength: MAX_DEVICE_CHARACTERS,
  },
  resource: { description: 'Audience of the token (RFC 8707); default this service.', example: 'https://media.example.org' },
  env: { description: 'Environment identifier; kept with the authorization.', example: 'staging' },
  platform: { description: 'Login platform; kept with the authorization.', example: 'web' },
  iframe: {
    description:
      '1: the origins of the redirect URIs may frame the sign-in. 2: the same, and the embedding page receives the response by postMessage.',
    enum: ['1', '2'],
    example: '1',
  },
  version: { description: 'API version identifier; kept with the authorization.', example: 'v4', maxLength: MAX_VERSION_CHARACTERS },
  clientId: { description: 'Use client_id.', deprecated: true },
  r: { description: 'Use resource.', deprecated: true },
  u: { description: 'Use resource.', deprecated: true },
};

const tokenFields: Record<string, Parameter> = {
  grant_type: {
    description: 'Type of the grant to exchange.',
    required: true,
    enum: ['authorization_code', 'refresh_token', 'client_credentials'],
    example: 'authorization_code',
  },
  client_id: { description: `${CLIENT} Confidential clients may use HTTP Basic instead.`, example: 'demo' },
  client_secret: { description: 'Secret of a confidential client.' },
  code: { description: 'Code of authorize or requestCode; single use.' },
  code_verifier: { description: 'PKCE verifier.' },
  redirect_uri: { description: 'The redirect_uri of the authorization request.', example: 'http://localhost:8080/callback' },
  refresh_token: { description: 'For grant_type refresh_token; rotated at every use.' },
  scope: { description: 'May narrow the granted scope.', example: 'api:read' },
  resource: { description: 'Audience of the token.', example: 'https://media.example.org' },
  state: { description: 'If sent, must equal the value that the code was issued for.' },
  device: { description: 'If sent, must equal the value that the code was issued for.' },
  deviceFromCode: {
    description:
      'Binds the tokens to a device that the application could not name at authorize; later requests must send it in x-service-device.',
    maxLength: MAX_DEVICE_CHARACTERS,
  },
  casa: { description: 'Base64 of {customerId, userId, reason}: customer-approved support access, for staff only.' },
};

/** The classes that the operations below refer to by name. */
export const protocolModels = [IntrospectionResponse, JsonWebKeySetResponse, OAuthErrorResponse, ServerMetadataResponse, TokenResponse];

/** Describes the operations that protocol steps answer before Nest, for the OpenAPI document. */
export const protocolOperations = (): Paths => ({
  '/v4/authorize': {
    get: {
      tags: ['Authorization'],
      operationId: 'authorize',
      summary: 'Authorize: begin the authorization code flow in a browser.',
      description: 'Signs the user in, requests consent where it is required, and redirects to redirect_uri with code, state and iss.',
      parameters: Object.entries(authorizeParameters).map(([name, parameter]) => queryParameter(name, parameter)),
      security: [{}],
      responses: {
        200: {
          description: 'For clients that follow the redirects: the login page.',
          content: { 'text/html': { schema: { type: 'string' } } },
        },
        302: {
          description:
            'Redirects to the login pages, or to redirect_uri with `code`, `state` and `iss` (or `error`, `error_description`, `state`).',
          headers: { Location: { required: true, schema: { type: 'string', format: 'uri' } } },
        },
        400: withProblem(authorizeError('The client is unknown, or the redirect_uri is not registered. The response is never a redirect.')),
        429: authorizeError('Too many requests; wait for the seconds in Retry-After.'),
        503: withProblem(authorizeError(UNAVAILABLE)),
      },
    },
  },
  '/v4/token': {
    post: {
      tags: ['Tokens'],
      operationId: 'token',
      summary: 'Request Token: exchange a code, a refresh token or client credentials for an access token.',
      requestBody: formBody(tokenFields),
      security: [{ client: [] }, {}],
      responses: { 200: jsonOf('TokenResponse', 'The tokens.'), ...oauthErrors() },
    },
  },
  '/v4/introspect': {
    post: {
      tags: ['Tokens'],
      operationId: 'introspect',
      summary: 'Introspect: returns whether a token is active, and its user (RFC 7662).',
      description:
        'Returns 200 for every token, be it valid or not. Confidential clients may introspect any token, public clients and bearer tokens only tokens of their own client.',
      requestBody: formBody({
        token: { description: 'The access token; by default the bearer token of the request.' },
        resource: { description: 'Target resource: a token for another audience is inactive.', example: 'https://media.example.org' },
        client_id: { description: CLIENT, example: 'demo' },
        client_secret: { description: 'Secret of a confidential client.' },
      }),
      security: [{ client: [] }, { oauth2: [] }, {}],
      responses: {
        200: jsonOf('IntrospectionResponse', 'The state of the token.'),
        400: { description: 'The request is not HTTP, or its headers are larger than 128 KiB. The response has no body.' },
        503: withProblem({ description: `${UNAVAILABLE} It is unknown whether the token is active.` }),
      },
    },
  },
  '/v4/revoke': {
    post: {
      tags: ['Tokens'],
      operationId: 'revoke',
      summary: 'Revoke: end a refresh token with all its access tokens, or one access token (RFC 7009).',
      requestBody: formBody({
        token: { description: 'The token to end.', required: true },
        token_type_hint: { description: 'access_token or refresh_token; not needed.' },
        client_id: { description: CLIENT, example: 'demo' },
        client_secret: { description: 'Secret of a confidential client.' },
      }),
      security: [{ client: [] }, {}],
      responses: {
        200: { description: 'The token is not or no longer valid. The response has no body (RFC 7009 section 2.2).' },
        ...oauthErrors(),
      },
    },
  },
  '/v4/jwks': {
    get: publicDocument('jwks', {
      summary: 'The public keys that sign our tokens (RFC 7517).',
      type: 'application/jwk-set+json',
      schema: 'JsonWebKeySetResponse',
    }),
  },
  '/.well-known/oauth-authorization-server': {
    get: publicDocument('oauthMetadata', { summary: 'Authorization server metadata (RFC 8414).', schema: 'ServerMetadataResponse' }),
  },
  '/.well-known/openid-configuration': {
    get: publicDocument('openidConfiguration', { summary: 'OpenID provider metadata.', schema: 'ServerMetadataResponse' }),
  },
});

const queryParameter = (name: string, { description, required = false, deprecated, ...parameter }: Parameter) => ({
  name,
  in: 'query' as const,
  required,
  description,
  ...(deprecated ? { deprecated } : {}),
  schema: textOf(parameter),
});

const textOf = ({ enum: values, maxLength, example }: Pick<Parameter, 'enum' | 'maxLength' | 'example'>) => ({
  type: 'string',
  ...(values ? { enum: values } : {}),
  ...(maxLength === undefined ? {} : { maxLength }),
  ...(example === undefined ? {} : { example }),
});

/** The request body, as a form or as JSON. */
function formBody(fields: Record<string, Parameter>) {
  const required = Object.keys(fields).filter((name) => fields[name]?.required);
  const schema = {
    type: 'object',
    ...(required.length > 0 && { required }), // OpenAPI does not allow an empty list
    properties: Object.fromEntries(
      Object.entries(fields).map(([name, { description, ...field }]) => [name, { ...textOf(field), description }]),
    ),
  };
  return { required: required.length > 0, content: { 'application/x-www-form-urlencoded': { schema }, 'application/json': { schema } } };
}

const jsonOf = (schema: string, description: string) => ({
  description,
  content: { 'application/json': { schema: { $ref: `#/components/schemas/${schema}` } } },
});

const oauthErrors = () => ({
  400: jsonOf('OAuthErrorResponse', 'invalid_request, invalid_grant, invalid_scope, invalid_target or unsupported_grant_type.'),
  401: jsonOf('OAuthErrorResponse', 'invalid_client: the client could not be authenticated.'),
  429: jsonOf('OAuthErrorResponse', 'rate_limited: too many requests; wait for the seconds in Retry-After.'),
  503: withProblem(jsonOf('OAuthErrorResponse', `temporarily_unavailable: ${UNAVAILABLE}`)),
});

/** An error as a page, or as JSON for clients that prefer it. */
const authorizeError = (description: string) => ({
  description,
  content: { 'text/html': { schema: { type: 'string' } }, ...jsonOf('OAuthErrorResponse', '').content },
});

/** Adds the problem document, the response to requests that are refused before their operation is known. */
const withProblem = ({ description, content = {} }: { readonly description: string; readonly content?: object }) => ({
  description,
  content: { ...content, 'application/problem+json': { schema: { $ref: '#/components/schemas/ProblemResponse' } } },
});

interface PublicDocument {
  readonly summary: string;
  readonly schema: string;
  readonly type?: string;
}

const publicDocument = (operationId: string, { summary, schema, type = 'application/json' }: PublicDocument) => ({
  tags: ['Metadata'],
  operationId,
  summary,
  security: [{}],
  responses: {
    200: { description: 'The document.', content: { [type]: { schema: { $ref: `#/components/schemas/${schema}` } } } },
    400: withProblem({ description: '`malformed_request`: the URL cannot be read.' }),
  },
});
