import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { capturedLog } from '../../../test/support/captured-log.js';
import { createLog, nestLogger } from './log.js';

const SECRET = 'marker-of-a-secret';

/** Names under which something of ours or of a library carries a secret. */
const secretNames = [
  'password',
  'Password',
  'passwordHash',
  'password_hash',
  'secret',
  'client_secret',
  'clientSecret',
  'secretHash',
  'accessSecret',
  'appSecret',
  'signingSecret',
  'token',
  'access_token',
  'accessToken',
  'refresh_token',
  'refreshToken',
  'id_token',
  'metricsToken',
  'x-amz-security-token',
  'SecretAccessKey',
  'code',
  'code_verifier',
  'codeVerifier',
  'authorization',
  'Authorization',
  'proxy-authorization',
  'cookie',
  'Cookie',
  'set-cookie',
  'cookieKeys',
  'signingKeys',
  'client_assertion',
  'x-api-key',
  'apiKey',
  'pwd',
  'databaseUrl',
  'DATABASE_URL',
  'd',
];

const json = (lines: unknown) => JSON.stringify(lines);

describe('the log', () => {
  it('writes JSON lines of the level and above, with service, process and the given fields', () => {
    const { log, lines } = capturedLog('info');
    log.debug({ a: 1 }, 'not this');
    log.info({ requestId: 'r', count: 3, nothing: null, at: new Date(0), list: [1, 'a'] }, 'something happened');
    expect(lines).toEqual([
      {
        level: 30,
        time: expect.any(Number),
        service: 'test',
        pid: process.pid,
        requestId: 'r',
        count: 3,
        nothing: null,
        at: '1970-01-01T00:00:00.000Z',
        list: [1, 'a'],
        msg: 'something happened',
      },
    ]);
  });

  it.each(secretNames)('never contains the value of %s, at any depth', (name) => {
    const { log, lines } = capturedLog();
    log.info({ [name]: SECRET });
    log.info({ request: { headers: { [name]: SECRET }, list: [{ deeper: { [name]: [SECRET] } }] } });
    log.error({ err: Object.assign(new Error('failed'), { response: { [name]: SECRET } }) });
    expect(lines).toHaveLength(3);
    expect(json(lines)).not.toContain(SECRET);
    expect(lines[0]).toHaveProperty([name], '[redacted]');
  });

  it('never contains a secret, whatever object contains it', () => {
    const wrap = fc.letrec<{ tree: unknown }>((tie) => ({
      tree: fc.oneof(
        { maxDepth: 12 },
        fc.constantFrom(...secretNames).map((name) => ({ [name]: SECRET })),
        fc.tuple(fc.string(), tie('tree')).map(([name, inner]) => ({ [name]: inner })),
        fc.array(tie('tree'), { maxLength: 3 }),
        tie('tree').map((inner) => Object.assign(new Error('failed'), { cause: inner })),
      ),
    })).tree;
    fc.assert(
      fc.property(wrap, (value) => {
        const { log, lines } = capturedLog();
        log.info({ value });
        expect(lines).toHaveLength(1);
        expect(json(lines)).not.toContain(SECRET);
      }),
    );
  });

  it('shortens capability ids in URLs', () => {
    const { log, lines } = capturedLog();
    const id = 'e7f9a3c1-5b2d-4c68-9a71-0f3d2b6c8e45';
    const paths = [
      `/l/${id}/7`,
      `/v5/deliverFile/${id}`,
      `/V5/deliverEmbed/${id.toUpperCase()}/player`,
      `/d/${id}`,
      `/v5/activity/jobResult/${id}`,
    ];
    const others = ['/v4/interaction/S3cr3t_uid-of-a-sign-in', '/v5/preview/12.1893456000.bWFj-b2Y_b25l', '/v5/mediacontainer/12345678'];
    for (const path of [...paths, ...others]) log.info({ path }, 'request');
    log.error({ url: `https://media.example.org/l/${id}`, err: new Error('x') }, 'unexpected error');
    expect(lines.map(({ path, url }) => path ?? url)).toEqual([
      ...[
        '/l/e7f9a3c1…/7',
        '/v5/deliverFile/e7f9a3c1…',
        '/V5/deliverEmbed/E7F9A3C1…/player',
        '/d/e7f9a3c1…',
        '/v5/activity/jobResult/e7f9a3c1…',
      ],
      ...['/v4/interaction/S3cr3t_u…', '/v5/preview/12…', '/v5/mediacontainer/12345678', 'https://media.example.org/l/e7f9a3c1…'],
    ]);
  });

  it('describes errors with their cause and without parameters', () => {
    const { log, lines } = capturedLog();
    const cause = Object.assign(new Error('duplicate key'), {
      code: '23505',
      constraint: 'users_email_key',
      detail: `Failing row contains (${SECRET}).`,
      parameters: [SECRET],
      query: `UPDATE users SET password_hash = '${SECRET}'`,
    });
    log.error({ err: new AggregateError([Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })], 'outer', { cause }) }, 'failed');
    expect(lines).toMatchObject([
      {
        msg: 'failed',
        err: {
          type: 'AggregateError',
          message: 'outer',
          stack: expect.stringContaining('log.spec'),
          cause: { type: 'Error', message: 'duplicate key', code: '23505', constraint: 'users_email_key' },
          errors: [{ message: 'refused', code: 'ECONNREFUSED' }],
        },
      },
    ]);
    expect(json(lines)).not.toContain(SECRET);
  });

  it('takes a bare error too', () => {
    const { log, lines } = capturedLog();
    log.error(Object.assign(new Error('bare'), { parameters: [SECRET] }));
    expect(lines).toMatchObject([{ msg: 'bare', err: { type: 'Error', message: 'bare' } }]);
    expect(json(lines)).not.toContain(SECRET);
  });

  it('survives circles, and names objects of classes instead of opening them', () => {
    class Connection {
      readonly password = SECRET;
    }
    const { log, lines } = capturedLog();
    const circle: Record<string, unknown> = { connection: new Connection(), bytes: Buffer.from(SECRET) };
    circle.self = circle;
    log.info(circle);
    expect(lines).toMatchObject([{ connection: '[Connection]', bytes: '[Buffer]' }]);
    expect(json(lines)).not.toContain(SECRET);
  });

  it('is silent where that is asked for', () => {
    expect(createLog({ level: 'silent', service: 'test' }).isLevelEnabled('fatal')).toBe(false);
  });

  it("takes Nest's messages as lines, routine ones as debug", () => {
    const { log, lines } = capturedLog();
    const logger = nestLogger(log);
    logger.log('Mapped {/health/live, GET} route', 'RouterExplorer');
    logger.warn('Something is odd', 'NestFactory');
    logger.error(new Error('cannot start'), 'ExceptionHandler');
    expect(lines).toMatchObject([
      { level: 20, context: 'RouterExplorer', msg: 'Mapped {/health/live, GET} route' },
      { level: 40, context: 'NestFactory', msg: 'Something is odd' },
      { level: 50, context: 'ExceptionHandler', msg: 'cannot start', err: { type: 'Error', message: 'cannot start' } },
    ]);
  });
});
