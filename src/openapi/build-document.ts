import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { TokenResponse } from '../modules/access/index.js';
import { IntrospectionResponse, OAuthErrorResponse, protocolOperations, SCOPES } from '../modules/oauth/index.js';
import { addErrorResponses } from './add-error-responses.js';
import { ProblemResponse } from './problem.dto.js';

/** Stands for PUBLIC_URL in the committed document; serveDocs() puts the real one in its place. */
export const EXAMPLE_URL = 'https://media.example.org';

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
    .addCookieAuth('session', { type: 'apiKey', in: 'cookie' }, 'session');
  const extraModels = [IntrospectionResponse, OAuthErrorResponse, ProblemResponse, TokenResponse];
  const options = {
    extraModels,
    operationIdFactory: (controller: string, method: string) => `${controller.replace(/Controller$/, '')}.${method}`,
  };
  const document = SwaggerModule.createDocument(app, builder.build(), options);
  addErrorResponses(document);
  document.paths = Object.fromEntries(
    Object.entries({ ...protocolOperations(), ...document.paths }).sort(([a], [b]) => a.localeCompare(b)),
  );
  return document;
}
