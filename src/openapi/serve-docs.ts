import { readFileSync } from 'node:fs';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import type { Response } from 'express';
import { DEMO_CLIENT_ID } from '../embedded/demo.js';
import type { Config } from '../shared/config/index.js';
import { contentSecurityPolicy } from '../shared/http/index.js';
import { EXAMPLE_URL } from './build-document.js';

/** The committed OpenAPI document; `npm run openapi` writes it from the build, and a test refuses a drift. */
const DOCUMENT = new URL(import.meta.url.includes('/dist/') ? '../../../openapi.json' : '../../openapi.json', import.meta.url);

/** Swagger UI at /docs and the document at /docs/openapi.json, with the URLs of this installation. */
export function serveDocs(app: NestExpressApplication, config: Config): void {
  app.use('/docs', (_request: unknown, response: { setHeader(name: string, value: string): void }, next: () => void) => {
    // Swagger UI sets styles by script and starts by an inline script of its own.
    const policy = contentSecurityPolicy()
      .replace("style-src 'self'", "style-src 'self' 'unsafe-inline'")
      .replace("img-src 'self'", "img-src 'self' data:")
      .replace("script-src 'self'", "script-src 'self' 'unsafe-inline'; connect-src 'self'");
    response.setHeader('content-security-policy', policy);
    next();
  });
  // Who opens the bare address in a browser wants to know what is here.
  app.getHttpAdapter().get('/', (_request: unknown, response: unknown) => (response as Response).redirect(302, '/docs'));
  SwaggerModule.setup('docs', app, () => readDocument(config), {
    jsonDocumentUrl: 'docs/openapi.json',
    customSiteTitle: `${config.serviceName} API`,
    swaggerOptions: {
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
