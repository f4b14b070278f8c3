import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { OpenAPIObject } from '@nestjs/swagger';
import { createTestDatabase, type TestDatabase } from '../support/test-database.js';

type Operation = NonNullable<OpenAPIObject['paths'][string]['get']>;
type Schema = { properties?: Record<string, { deprecated?: boolean; example?: unknown; $ref?: string; type?: string; items?: unknown }> };

const methods = ['get', 'put', 'post', 'delete', 'patch'] as const;

describe('the OpenAPI document', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'media-delivery-openapi-'));
  let database: TestDatabase;
  let committed: string;
  let operations: [string, Operation][];

  beforeAll(async () => {
    database = await createTestDatabase();
    committed = readFileSync('openapi.json', 'utf8');
    const document = JSON.parse(committed) as OpenAPIObject;
    operations = Object.entries(document.paths).flatMap(([where, item]) =>
      methods.flatMap((method) => (item[method] ? [[`${method} ${where}`, item[method]] as [string, Operation]] : [])),
    );
  });

  afterAll(async () => {
    await database.drop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('is the one that the build writes (npm run openapi)', async () => {
    const file = path.join(folder, 'openapi.json');
    const env = { ...process.env, DATABASE_URL: database.url, NODE_OPTIONS: '', DATA_DIR: folder };
    await promisify(execFile)(process.execPath, ['scripts/run.mjs', 'tools/write-openapi.js', file], { env });
    expect(readFileSync(file, 'utf8')).toBe(committed);
  }, 120_000);

  it('lists the protocol endpoints beside our own operations, and no page', () => {
    const names = operations.map(([name]) => name);
    for (const name of [
      'get /v4/authorize',
      'post /v4/token',
      'post /v4/introspect',
      'post /v4/revoke',
      'get /v4/jwks',
      'get /v4/requestCode',
      'post /v4/requestCode',
      'get /v4/apps',
      'delete /v4/apps/{id}',
      'post /v4/deauthorize',
      'get /.well-known/openid-configuration',
      'get /.well-known/oauth-authorization-server',
      'get /health/live',
      'get /health/ready',
    ]) {
      expect(names).toContain(name);
    }
    expect(names.filter((name) => /interaction|account|logout/.test(name))).toEqual([]);
  });

  it('gives every operation a summary, a tag, an id of its own and an answer', () => {
    for (const [name, { summary, tags, operationId, responses }] of operations) {
      expect([name, summary, tags?.length, operationId, Object.keys(responses).length > 0]).toEqual([
        name,
        expect.stringMatching(/.{10,}/),
        1,
        expect.any(String),
        true,
      ]);
    }
    expect(new Set(operations.map(([, { operationId }]) => operationId)).size).toBe(operations.length);
  });

  it('says of every operation that needs a caller how it may be refused', () => {
    for (const [name, { security, responses }] of operations) {
      if (!security?.some((one) => Object.keys(one).length > 0) || name.endsWith('/introspect')) continue;
      expect([name, Object.keys(responses)]).toEqual([name, expect.arrayContaining(['401', '403', '429'])]);
    }
  });

  it('describes every field of an answer in words, by an example or by a reference', () => {
    const { components } = JSON.parse(committed) as OpenAPIObject;
    for (const [name, schema] of Object.entries(components?.schemas ?? {})) {
      for (const [field, property] of Object.entries((schema as Schema).properties ?? {})) {
        const says = ['description', 'example', '$ref', 'allOf', 'items'].filter((member) => member in property);
        expect([name, field, says.length > 0]).toEqual([name, field, true]);
      }
    }
  });

  it('marks exactly the deprecated spellings as deprecated', () => {
    const { components } = JSON.parse(committed) as OpenAPIObject;
    const fields = Object.entries(components?.schemas ?? {}).flatMap(([name, schema]) =>
      Object.entries((schema as Schema).properties ?? {}).flatMap(([field, { deprecated }]) => (deprecated ? [`${name}.${field}`] : [])),
    );
    const parameters = operations.flatMap(([name, { parameters: all = [] }]) =>
      all.flatMap((one) => ('deprecated' in one && one.deprecated ? [`${name} ${one.name}`] : [])),
    );
    expect([...fields, ...parameters].sort()).toEqual(
      [
        'CreateFormatDto.command',
        'CreateFormatDto.configuration',
        'CreatePlayerConfigurationDto.configuration',
        'FormatChangesDto.command',
        'FormatChangesDto.configuration',
        'FormatResponse.command',
        'FormatResponse.configuration',
        'FormatResponse.type',
        'OauthRuleDto.grants',
        'OptionalOauthRuleDto.grants',
        'PlayerConfigurationChangesDto.configuration',
        'PlayerConfigurationResponse.configuration',
        'PlayerSettingsDto.auth',
        'PlayerSettingsDto.cname',
        'PlayerSettingsDto.customer',
        'PlayerSettingsDto.matchReferer',
        'UpdateFormatDto.command',
        'UpdateFormatDto.configuration',
        'UpdatePlayerConfigurationDto.configuration',
        'UpdatedPlayerConfigurationResponse.configuration',
        'DeauthorizeDto.clientId',
        'DropsiteTokenResponse.accessToken',
        'DropsiteTokenResponse.accessTokenExpires',
        'DropsiteTokenResponse.tokenType',
        'TokenResponse.accessToken',
        'TokenResponse.accessTokenExpires',
        'TokenResponse.tokenType',
        'get /v4/authorize clientId',
        'get /v4/authorize r',
        'get /v4/authorize u',
      ].sort(),
    );
  });
});
