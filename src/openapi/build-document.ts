import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { protocolModels, protocolOperations, SCOPES } from '../modules/oauth/index.js';
import { addErrorResponses } from './add-error-responses.js';
import { addHeaders } from './add-headers.js';
import { addInputs, markNumericIds } from './add-inputs.js';
import { operationsOf } from './operations.js';
import { ProblemResponse } from './problem.dto.js';
import { removeUnusedSchemas, toOpenApi31 } from './to-openapi-31.js';

/** Stands for PUBLIC_URL in the committed document; serveDocs() puts the real one in its place. */
export const EXAMPLE_URL = 'https://media.example.org';

const SIGNATURE =
  'A request that is signed with an access key also carries x-service-accesskey, x-service-rts and x-service-version; docs/oauth.md shows how.';

/** The OpenAPI document of every operation. Complete only from the build: Nest's compiler plugin reads types and comments there. */
export function buildDocument(app: INestApplication): OpenAPIObject {
  const scopes = Object.fromEntries(Object.entries(SCOPES).map(([name, { text }]) => [name, text]));
  const builder = new DocumentBuilder()
    .setTitle('Media Delivery Platform API')
    .setDescription(
      'OAuth 2.0 authorization server (/v4) and platform API (/v5). Errors are problem documents (RFC 9457) with a stable `code`.',
    )
    .setVersion('1')
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
    .addCookieAuth('session', { type: 'apiKey', in: 'cookie' }, 'session');
  const extraModels = [...protocolModels, ProblemResponse];
  const options = {
    extraModels,
    operationIdFactory: (controller: string, method: string) => `${controller.replace(/Controller$/, '')}.${method}`,
  };
  const document = SwaggerModule.createDocument(app, builder.build(), options);
  addInputs(document);
  markNumericIds(document);
  addErrorResponses(document);
  addHeaders(document);
  acceptSignatures(document);
  document.paths = Object.fromEntries(
    Object.entries({ ...protocolOperations(), ...document.paths }).sort(([a], [b]) => a.localeCompare(b)),
  );
  removeUnusedSchemas(document);
  return toOpenApi31(document);
}

/** Wherever an access token counts, a signature does too. */
function acceptSignatures(document: OpenAPIObject): void {
  for (const { operation } of operationsOf(document)) {
    operation.security = operation.security?.flatMap((one) => ('oauth2' in one ? [one, { signature: [] }] : [one]));
  }
}
