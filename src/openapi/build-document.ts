import { readFileSync } from 'node:fs';
import type { INestApplication } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { DEMO_CLIENT_ID } from '../embedded/demo.js';
import { protocolModels, protocolOperations, SCOPES } from '../modules/oauth/index.js';
import type { Config } from '../shared/config/index.js';
import { contentSecurityPolicy, openClasses } from '../shared/http/index.js';
import { assetUrl } from '../shared/web/index.js';
import { addInputs, markNumericIds } from './add-inputs.js';
import { addErrorResponses, addHeaders, addResponseExamples } from './add-responses.js';
import { addWebhooks, eventModels } from './add-webhooks.js';
import { operationsOf } from './operations.js';
import { ProblemResponse } from './problem.dto.js';
import { addRequestExamples } from './request-examples.js';
import { TAGS } from './tags.js';
import { removeUnusedSchemas, toOpenApi31 } from './to-openapi-31.js';

/** A placeholder for PUBLIC_URL in the committed document; serveDocs() replaces it. */
const EXAMPLE_URL = 'https://media.example.org';

const SIGNATURE =
  'A request that is signed with an access key also carries x-service-accesskey, x-service-rts and x-service-version; docs/oauth.md shows how.';

const INFO = {
  title: 'Media Delivery Platform API',
  description: [
    'OAuth 2.0 authorization server (/v4) and platform API (/v5). Errors are problem documents (RFC 9457) with a stable `code`.',
    '**To sign in**, press *Authorize* and then *Authorize* below *authorizationCode*: a window of the service asks for an e-mail address and a ' +
      'password, and then whether this page may act for you. For a service in development, `npm start` prints the address and password of a demo ' +
      'user. After that, *Try it out* and *Execute* send the example of an operation in your name. Operations that need no sign-in have no padlock.',
    'The field *Filter by tag* shows the operations of one subject, such as `Uploads`.',
  ].join('\n\n'),
  version: '1',
  license: { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' }, // package.json: UNLICENSED
};

/** The OpenAPI document of every operation. Complete only in the build, where Nest's compiler plugin reads types and comments. */
export function buildDocument(app: INestApplication): OpenAPIObject {
  const scopes = Object.fromEntries(Object.entries(SCOPES).map(([name, { text }]) => [name, text]));
  const builder = new DocumentBuilder()
    .addServer(EXAMPLE_URL)
    .addOAuth2(
      {
        type: 'oauth2',
        flows: {
          authorizationCode: { authorizationUrl: `${EXAMPLE_URL}/v4/authorize`, tokenUrl: `${EXAMPLE_URL}/v4/token`, scopes },
          clientCredentials: { tokenUrl: `${EXAMPLE_URL}/v4/token`, scopes },
        },
      },
      'oauth2',
    )
    .addBasicAuth({ type: 'http', scheme: 'basic', description: 'clientId and secret of a confidential client.' }, 'client')
    .addApiKey({ type: 'apiKey', in: 'header', name: 'x-service-hash', description: SIGNATURE }, 'signature')
    .addCookieAuth('session', { type: 'apiKey', in: 'cookie' }, 'session')
    .addBearerAuth({ type: 'http', scheme: 'bearer', description: 'METRICS_TOKEN of the installation.' }, 'metricsToken');
  for (const [name, description] of Object.entries(TAGS)) builder.addTag(name, description);
  const extraModels = [...protocolModels, ...eventModels, ProblemResponse];
  const options = {
    extraModels,
    // Of two paths of an operation, the second has no id (`@IdInBody()`).
    operationIdFactory: (controller: string, method: string) =>
      `${controller.replace(/Controller$/, '')}.${method.replace('[0]', '').replace('[1]', 'ByBody')}`,
  };
  const document = SwaggerModule.createDocument(app, { ...builder.build(), info: INFO }, options);
  addInputs(document);
  markNumericIds(document);
  markOpenObjects(document);
  addErrorResponses(document);
  addHeaders(document);
  acceptSignatures(document);
  document.paths = Object.fromEntries(
    Object.entries({ ...protocolOperations(), ...METRICS, ...document.paths }).sort(([a], [b]) => a.localeCompare(b)),
  );
  addRequestExamples(document);
  addResponseExamples(document);
  addWebhooks(document);
  removeUnusedSchemas(document);
  return toOpenApi31(document);
}

function markOpenObjects({ components }: OpenAPIObject): void {
  for (const name of openClasses) Object.assign(components?.schemas?.[name] ?? {}, { additionalProperties: true });
}

const METRICS: OpenAPIObject['paths'] = {
  '/metrics': {
    get: {
      tags: ['Health'],
      operationId: 'metrics',
      summary: 'Metrics for Prometheus, for callers on this machine and those with METRICS_TOKEN as bearer token.',
      security: [{ metricsToken: [] }, {}],
      responses: {
        200: { description: 'The metrics; docs/metrics.md lists them.', content: { 'text/plain': { schema: { type: 'string' } } } },
        404: {
          description: '`not_found`: the caller may not read them.',
          content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/ProblemResponse' } } },
        },
      },
    },
  },
};

/** Adds signed requests as an alternative to every operation that accepts access tokens. */
function acceptSignatures(document: OpenAPIObject): void {
  for (const { operation } of operationsOf(document)) {
    operation.security = operation.security?.flatMap((one) => ('oauth2' in one ? [one, { signature: [] }] : [one]));
  }
}

/** The committed OpenAPI document; `npm run openapi` writes it from the build, and a test fails if it differs. */
const DOCUMENT = new URL(import.meta.url.includes('/dist/') ? '../../../openapi.json' : '../../openapi.json', import.meta.url);

/** Swagger UI at /docs and the document at /docs/openapi.json, with the URLs of this installation. */
export function serveDocs(app: NestExpressApplication, config: Config): void {
  app.use('/docs', (_request: unknown, response: { setHeader(name: string, value: string): void }, next: () => void) => {
    // Swagger UI sets styles by script and starts with an inline script.
    const policy = contentSecurityPolicy()
      .replace("style-src 'self'", "style-src 'self' 'unsafe-inline'")
      .replace("img-src 'self'", "img-src 'self' data:")
      .replace("script-src 'self'", "script-src 'self' 'unsafe-inline'; connect-src 'self'");
    response.setHeader('content-security-policy', policy);
    next();
  });
  SwaggerModule.setup('docs', app, () => readDocument(config), {
    jsonDocumentUrl: 'docs/openapi.json',
    customfavIcon: assetUrl('favicon.svg'),
    customCss: '.swagger-ui .topbar { display: none }', // the name of the program that shows the document
    customSiteTitle: `${config.serviceName} API`,
    swaggerOptions: {
      docExpansion: 'none',
      filter: true,
      persistAuthorization: true,
      oauth2RedirectUrl: `${config.publicUrl}/docs/oauth2-redirect.html`,
      initOAuth: { clientId: DEMO_CLIENT_ID, scopes: ['api'], usePkceWithAuthorizationCodeGrant: true },
    },
  });
}

function readDocument(config: Config): OpenAPIObject {
  const text = readFileSync(DOCUMENT, 'utf8').replaceAll(EXAMPLE_URL, config.publicUrl);
  return JSON.parse(text) as OpenAPIObject;
}
