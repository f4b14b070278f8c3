import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { OpenAPIObject } from '@nestjs/swagger';
import { Validator } from '@seriousme/openapi-schema-validator';
import { EVENT_NAMES } from '../../src/shared/events/index.js';
import { createTestDatabase, type TestDatabase } from '../support/database/test-database.js';

type Operation = NonNullable<OpenAPIObject['paths'][string]['get']>;
type Property = Readonly<Record<string, unknown>> & { readonly deprecated?: boolean };
type Schema = { properties?: Record<string, Property> };

/** An object without members, or none at all, tells a client nothing; `additionalProperties` says that its members are free. */
const isDescribed = (property: Property): boolean =>
  ['$ref', 'oneOf', 'enum', 'properties', 'additionalProperties', 'items'].some((member) => member in property) ||
  ('type' in property && ![property.type].flat().includes('object'));

/** The paths of the schemas of requests that a predicate selects, at any depth. */
function schemasOfRequests({ paths, components }: OpenAPIObject, selects: (schema: Json) => boolean): string[] {
  const found: string[] = [];
  const seen = new Set<string>();
  const visit = (value: unknown, where: string): void => {
    if (typeof value !== 'object' || value === null) return;
    const { $ref, ...members } = value as Json;
    if (selects(members)) found.push(where);
    for (const [name, member] of Object.entries(members)) if (!VALUES.includes(name)) visit(member, `${where}/${name}`);
    const [, referred = ''] = /^#\/components\/schemas\/(\w+)$/.exec(String($ref)) ?? [];
    if (referred === '' || seen.has(referred)) return;
    seen.add(referred);
    visit(components?.schemas?.[referred], referred);
  };
  for (const [path, item] of Object.entries(paths)) {
    for (const method of methods) visit([item[method]?.parameters, item[method]?.requestBody], `${method} ${path}`);
  }
  return found;
}

type Json = Readonly<Record<string, unknown>>;
/** Members that contain values instead of schemas. */
const VALUES = ['example', 'examples', 'default', 'enum'];
const isList = ({ type }: Json): boolean => [type].flat().includes('array');

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

  const schemas = () => (JSON.parse(committed) as OpenAPIObject).components?.schemas as Record<string, Schema>;

  it('is the one that the build writes (npm run openapi)', async () => {
    const file = path.join(folder, 'openapi.json');
    const env = { ...process.env, DATABASE_URL: database.url, NODE_OPTIONS: '', DATA_DIR: folder };
    await promisify(execFile)(process.execPath, ['scripts/run.mjs', 'tools/write-openapi.js', file], { env });
    expect(readFileSync(file, 'utf8')).toBe(committed);
  });

  it('is valid OpenAPI 3.1 by an independent validator', async () => {
    const { valid, errors } = await new Validator().validate(JSON.parse(committed) as Record<string, unknown>);
    expect([valid, errors]).toEqual([true, undefined]);
  });

  it('has no finding by the recommended rules of Redocly', async () => {
    const env = { ...process.env, NODE_OPTIONS: '', REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
    const args = ['node_modules/@redocly/cli/bin/cli.js', 'lint', '--extends=recommended', '--format=json', 'openapi.json'];
    const { stdout } = await promisify(execFile)(process.execPath, args, { env, maxBuffer: 2 ** 26 }).catch(
      (failed) => failed as { stdout: string },
    );
    const { problems } = JSON.parse(stdout) as { problems: { ignored?: boolean; ruleId: string; location: { pointer: string }[] }[] };
    // The ignored ones are in .redocly.lint-ignore.yaml.
    expect(problems.filter(({ ignored }) => !ignored).map(({ ruleId, location }) => [ruleId, location[0]?.pointer])).toEqual([]);
  });

  it('has a body for every operation that changes something, apart from these', () => {
    const without = operations.filter(([name, { requestBody }]) => /^(post|put|patch) /.test(name) && !requestBody).map(([name]) => name);
    expect(without).toEqual([
      ...['post /v4/userinfo', 'post /v5/deliverEmbed/{link}/lease', 'post /v5/playerconfiguration/{id}/default'],
      ...['post /v5/user/{id}/disable', 'post /v5/user/{id}/enable', 'post /v5/user/{id}/invite', 'post /v5/user/{id}/resetSecondFactor'],
    ]);
  });

  it('has a schema for every answer, apart from those without a body', () => {
    const without = operations.flatMap(([name, { responses }]) =>
      Object.entries(responses).flatMap(([status, response]) => ('content' in (response ?? {}) ? [] : [`${name} ${status}`])),
    );
    expect(without).toEqual([
      'get /l/{link}/archive 304',
      'get /l/{link}/archive 416',
      'get /v4/authorize 302',
      'post /v4/introspect 400',
      'post /v4/revoke 200',
      'get /v5/customer 304',
      'get /v5/deliverEmbed/{link}/image 302',
      'post /v5/deliverEmbed/{link}/lease 204',
      'get /v5/deliverEmbed/{link}/media/{mediaId}.mp4 302',
      'get /v5/deliverEmbed/{link}/media/{mediaId}.mp4 416',
      'post /v5/deliverEmbed/{link}/plays 204',
      'get /v5/deliverEmbed/{link}/preview 302',
      'get /v5/deliverEmbed/{link}/storyboard/{mediaId}.jpg 302',
      'get /v5/deliverFile/{link} 302',
      'get /v5/deliverFile/{link} 416',
      'get /v5/playerconfiguration/{id} 304',
      'get /v5/preview/{ticket} 302',
    ]);
  });

  it('describes every member of an object', () => {
    const unknown = Object.entries(schemas()).flatMap(([name, { properties = {} }]) =>
      Object.entries(properties).flatMap(([member, property]) => (isDescribed(property) ? [] : [`${name}.${member}`])),
    );
    expect(unknown).toEqual([]);
  });

  it('limits every list of a request', () => {
    const document = JSON.parse(committed) as OpenAPIObject;
    expect(schemasOfRequests(document, isList).length).toBeGreaterThan(50);
    expect(schemasOfRequests(document, (schema) => isList(schema) && !('maxItems' in schema))).toEqual([]);
  });

  it('limits the texts and lists of a request wherever the service does', () => {
    const limitOf = (schema: string, ...members: readonly string[]) =>
      members.reduce<unknown>((found, member) => (found as Json)[member], schemas()[schema]);
    const limits = [
      limitOf('UpdateMediaContainerDto', 'properties', 'metadata', 'maxItems'),
      limitOf('MetadataEntryDto', 'properties', 'content', 'maxLength'),
      limitOf('UploadItemDto', 'properties', 'metadata', 'maxItems'),
      limitOf('EmailInstructionDto', 'properties', 'to', 'maxItems'),
      limitOf('HttpsInstructionDto', 'properties', 'headers', 'maxProperties'),
      limitOf('FormatSettingsDto', 'properties', 'parameters', 'maxProperties'),
      limitOf('IpWhiteListDto', 'properties', 'list', 'maxItems'),
      limitOf('BulkSetDto', 'properties', 'addTags', 'items', 'maxLength'),
    ];
    expect(limits).toEqual([1_000, 10_000, 100, 50, 50, 200, 10_000, 1_024]);
  });

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

  it('has an example for every request body', () => {
    const without = operations.filter(([, { requestBody }]) =>
      Object.values(requestBody && 'content' in requestBody ? requestBody.content : {}).some(({ example }) => example === undefined),
    );
    expect(without.map(([name]) => name)).toEqual([]);
  });

  it('describes every tag, and each tag has operations', () => {
    const { tags = [] } = JSON.parse(committed) as OpenAPIObject;
    expect(new Set(operations.flatMap(([, operation]) => operation.tags ?? []))).toEqual(new Set(tags.map(({ name }) => name)));
  });

  it('has a webhook for every event', () => {
    expect(Object.keys((JSON.parse(committed) as OpenAPIObject).webhooks ?? {})).toEqual([...EVENT_NAMES]);
  });

  it('gives every operation a summary, a tag, a unique id and a response', () => {
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

  it('lists the refusals of every operation that needs a caller', () => {
    for (const [name, { security, responses }] of operations) {
      if (!security?.some((one) => 'oauth2' in one) || name.endsWith('/introspect')) continue;
      expect([name, Object.keys(responses)]).toEqual([name, expect.arrayContaining(['401', '403', '429'])]);
    }
  });

  it('describes every field of an answer in words, by an example or by a reference', () => {
    for (const [name, { properties = {} }] of Object.entries(schemas())) {
      for (const [field, property] of Object.entries(properties)) {
        const says = ['description', 'examples', '$ref', 'oneOf', 'items', 'enum'].filter((member) => member in property);
        expect([name, field, says.length > 0]).toEqual([name, field, true]);
      }
    }
  });

  it('marks exactly the deprecated spellings as deprecated', () => {
    const fields = Object.entries(schemas()).flatMap(([name, { properties = {} }]) =>
      Object.entries(properties).flatMap(([field, { deprecated }]) => (deprecated ? [`${name}.${field}`] : [])),
    );
    const parameters = operations.flatMap(([name, { parameters: all = [] }]) =>
      all.flatMap((one) => ('deprecated' in one && one.deprecated ? [`${name} ${one.name}`] : [])),
    );
    expect([...fields, ...parameters].sort()).toEqual(
      [
        'ChangedFormatResponse.command',
        'ChangedFormatResponse.configuration',
        'ChangedFormatResponse.type',
        'CreateFormatDto.command',
        'CreateFormatDto.configuration',
        'CreateFormatDto.type',
        'CreatePlayerConfigurationDto.configuration',
        'CreatedPlayerConfigurationResponse.configuration',
        'FormatChangesDto.command',
        'FormatChangesDto.configuration',
        'FormatChangesDto.type',
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
        'UpdateFormatDto.type',
        'UpdatePlayerConfigurationDto.configuration',
        'UpdatedPlayerConfigurationResponse.configuration',
        'DeauthorizeDto.clientId',
        'DestroyedPlayerConfigurationResponse.configuration',
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
