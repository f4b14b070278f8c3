import { generateKeyPairSync } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { StartupError } from '../errors.js';
import { loadConfig } from './config.js';
import { serverUrls } from './setting.js';
import { environmentName, settings } from './settings.js';

const SECRET = 'marker-of-a-secret-that-must-not-be-told';

const production = {
  NODE_ENV: 'production',
  DATABASE_URL: 'postgres://platform:secret@db.example.org/platform',
  APP_SECRET: 'x'.repeat(32),
  PUBLIC_URL: 'https://media.example.org',
  S3_BUCKET: 'media-uploads',
  STS_ROLE_ARN: 'arn:aws:iam::123456789012:role/media-uploads',
};

/** The lines of the message with which the environment is refused, without its heading; none when it is accepted. */
function problemsOf(environment: Record<string, string | undefined>): string[] {
  try {
    loadConfig(environment);
    return [];
  } catch (error) {
    if (!(error instanceof StartupError)) throw error;
    return error.message
      .split('\n')
      .slice(1)
      .map((line) => line.replace(/^ {2}- /, ''));
  }
}

const signingKeys = (change: object = {}) => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return JSON.stringify({ keys: [{ ...privateKey.export({ format: 'jwk' }), kid: 'one', ...change }] });
};

describe('the configuration', () => {
  it('is complete without any environment variable', () => {
    expect(loadConfig({})).toMatchObject({
      nodeEnv: 'development',
      port: 3000,
      host: '127.0.0.1',
      publicUrl: 'http://localhost:3000',
      databaseUrl: '',
      webConcurrency: 1,
      headerPrefixes: ['x-service'],
      requirePkce: false,
      codeTtlSeconds: 60,
      accessTokenTtlSeconds: 900,
      refreshTtlSeconds: 30 * 86_400,
      refreshGraceSeconds: 5,
      sessionTtlSeconds: 14 * 86_400,
    });
  });

  it('takes an empty variable for an absent one', () => {
    const empty = Object.fromEntries(Object.keys(settings).map((name) => [environmentName(name), '']));
    expect(loadConfig(empty)).toEqual(loadConfig({}));
  });

  it('derives the public URL from the port, and drops its trailing slash', () => {
    expect(loadConfig({ PORT: '8080' }).publicUrl).toBe('http://localhost:8080');
    expect(loadConfig({ PUBLIC_URL: 'https://media.example.org/' }).publicUrl).toBe('https://media.example.org');
  });

  it('gets preview images from PUBLIC_URL unless there is a CDN_URL, which may have a path', () => {
    expect(loadConfig({ PUBLIC_URL: 'https://media.example.org' }).cdnUrl).toBe('https://media.example.org');
    expect(loadConfig({ CDN_URL: 'https://cdn.example.org/media/' }).cdnUrl).toBe('https://cdn.example.org/media');
    expect(problemsOf({ CDN_URL: 'ftp://cdn.example.org' })).toEqual(['CDN_URL must begin with http:// or https://']);
  });

  it('reports all problems together', () => {
    const problems = problemsOf({
      NODE_ENV: 'staging',
      PORT: '70000',
      PUBLIC_URL: 'media.example.org',
      DATABASE_URL: 'mysql://db.example.org/platform',
      TRUST_PROXY: 'the-proxy',
      CORS_ORIGINS: 'https://app.example.org/,*',
      RESOURCES: 'not-a-uri',
      LOG_LEVEL: 'loud',
      APP_SECRET: 'short',
      SIGNING_KEYS: '{}',
      REQUIRE_PKCE: 'yes',
      RATE_LIMIT: 'login=30',
      CODE_TTL_SECONDS: '1.5',
      WEB_CONCURRENCY: '0',
    });
    expect(problems.map((line) => line.split(/[ :]/, 1)[0]).sort()).toEqual(
      [
        'APP_SECRET',
        'CODE_TTL_SECONDS',
        'CORS_ORIGINS',
        'DATABASE_URL',
        'LOG_LEVEL',
        'NODE_ENV',
        'PORT',
        'PUBLIC_URL',
        'RATE_LIMIT',
        'REQUIRE_PKCE',
        'RESOURCES',
        'SIGNING_KEYS',
        'TRUST_PROXY',
        'WEB_CONCURRENCY',
      ].sort(),
    );
  });

  it.each(['ftp://media.example.org', 'https://media.example.org/media', 'https://media.example.org/?a=b', 'https://media.example.org/#a'])(
    'refuses the public URL %s',
    (url) => {
      expect(problemsOf({ PUBLIC_URL: url })).toEqual([expect.stringMatching(/^PUBLIC_URL must /)]);
    },
  );

  it.each([
    ['0', 0],
    ['0.25', 0.25],
    ['1', 1],
  ])('accepts a share of requests that are traced: %s', (text, otelTracesSamplerArg) => {
    expect(loadConfig({ OTEL_TRACES_SAMPLER_ARG: text })).toMatchObject({ otelTracesSamplerArg });
  });

  it.each(['1.1', '-0.1', '5%', 'always', '1e-2'])('refuses a share of %s', (text) => {
    expect(problemsOf({ OTEL_TRACES_SAMPLER_ARG: text })).toEqual(['OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1, such as 0.05']);
  });

  it.each(Object.entries(settings).filter(([, setting]) => Number.isInteger(setting.fallback)))(
    'accepts whole numbers of its range only for %s',
    (name) => {
      const variable = environmentName(name);
      fc.assert(
        fc.property(fc.oneof(fc.integer(), fc.double(), fc.string(), fc.nat(70_000)), (value) => {
          const text = String(value);
          const problems = problemsOf({ [variable]: text });
          if (problems.length === 0 && text !== '' && text !== 'auto')
            expect(loadConfig({ [variable]: text })).toMatchObject({ [name]: Number(text) });
          if (!/^\d+$/.test(text) && text !== '' && text !== 'auto') expect(problems).toHaveLength(1);
        }),
      );
      expect(problemsOf({ [variable]: '99999999999999999999' })).toEqual([
        expect.stringMatching(`^${variable} must be a whole number from `),
      ]);
    },
  );

  it('counts the cores for WEB_CONCURRENCY=auto, and refuses auto elsewhere', () => {
    expect(loadConfig({ WEB_CONCURRENCY: 'auto' }).webConcurrency).toBe(availableParallelism());
    expect(problemsOf({ PORT: 'auto' })).toHaveLength(1);
  });

  it('adds header prefixes to our own, in the lower case in which Node gives headers', () => {
    expect(loadConfig({ HEADER_PREFIXES: 'X-Vendor, x-other' }).headerPrefixes).toEqual(['x-service', 'x-vendor', 'x-other']);
    expect(loadConfig({ HEADER_PREFIXES: 'x-service,x-vendor' }).headerPrefixes).toEqual(['x-service', 'x-vendor']);
    expect(problemsOf({ HEADER_PREFIXES: 'x service' })).toEqual([expect.stringMatching(/^HEADER_PREFIXES /)]);
  });

  it.each([
    ...['https://app.example.org/', 'app.example.org', '*', 'null', 'https://App.example.org', 'https://app.example.org:443'],
    ...['https://*.example.org', 'capacitor://*', 'capacitor://localhost/', 'capacitor:', 'capacitor:/x', 'Capacitor://localhost'],
    ...['file://localhost', 'javascript://localhost', 'data://x'],
  ])('refuses the origin %s, which no browser ever sends', (origin) => {
    expect(problemsOf({ CORS_ORIGINS: `https://good.example.org,${origin}` })).toEqual([expect.stringMatching(/^CORS_ORIGINS /)]);
  });

  it('accepts origins, and addresses and networks of proxies', () => {
    const schemes = [
      'capacitor://localhost',
      'ionic://localhost',
      'tauri://localhost',
      'chrome-extension://mhjfbmdgcfjbbpaeojofohoefgiehjai',
    ];
    const environment = {
      CORS_ORIGINS: `https://a.example.org, http://localhost:8080,http://[::1]:8080,${schemes.join()}`,
      TRUST_PROXY: 'loopback, 10.0.0.0/8,fd00::/8',
    };
    expect(loadConfig(environment)).toMatchObject({
      corsOrigins: ['https://a.example.org', 'http://localhost:8080', 'http://[::1]:8080', ...schemes],
      trustProxy: environment.TRUST_PROXY,
    });
  });

  it('accepts only private P-256 keys with unique names as signing keys', () => {
    expect(problemsOf({ SIGNING_KEYS: signingKeys() })).toEqual([]);
    const { d: _, ...publicPart } = JSON.parse(signingKeys()).keys[0];
    const key = JSON.parse(signingKeys()).keys[0];
    const refused = [
      'no json',
      'null',
      '{"keys":[]}',
      '{"keys":[null]}',
      JSON.stringify({ keys: [publicPart] }),
      JSON.stringify({ keys: [key, key] }),
      signingKeys({ kid: undefined }),
      signingKeys({ kid: 'a b' }),
      signingKeys({ crv: 'P-384' }),
      signingKeys({ x: 'AAAA' }),
    ];
    for (const value of refused) expect(problemsOf({ SIGNING_KEYS: value })).toEqual([expect.stringMatching(/^SIGNING_KEYS must /)]);
  });

  describe('in production', () => {
    it('is accepted with a database, a secret and a public https URL', () => {
      expect(problemsOf(production)).toEqual([]);
    });

    it('refuses the embedded parts and every default secret, all at once', () => {
      expect(problemsOf({ NODE_ENV: 'production' })).toEqual([
        expect.stringMatching(/^STS_ROLE_ARN is required/),
        expect.stringMatching(/^DATABASE_URL is required/),
        expect.stringMatching(/^APP_SECRET is required/),
        expect.stringMatching(/^S3_BUCKET is required/),
        expect.stringMatching(/^PUBLIC_URL is required/),
      ]);
    });

    it('names each setting that is wrong or missing once, with the first reason', () => {
      const wrong = {
        ...{ S3_BUCKET: 'Media', STS_ROLE_ARN: 'media', PUBLIC_URL: 'media.example.org', DATABASE_URL: 'db', APP_SECRET: 'short' },
        ...{ MEDIA_CDN_URL: 'cdn', MEDIA_CDN_SIGNER: 'nginx' },
      };
      const problems = problemsOf({ NODE_ENV: 'production', ...wrong });
      const named = problems.map((line) => line.split(' ', 1)[0]);
      expect(named.toSorted()).toEqual(
        [...Object.keys(wrong).filter((name) => name !== 'MEDIA_CDN_SIGNER'), 'MEDIA_CDN_SECRET'].toSorted(),
      );
      expect(problems.filter((line) => line.includes('is required'))).toEqual([expect.stringMatching(/^MEDIA_CDN_SECRET/)]);
      expect(problemsOf({ ...production, PUBLIC_URL: 'ftp://media.example.org/files' })).toEqual([
        'PUBLIC_URL must begin with http:// or https://',
      ]);
    });

    it('refuses a public URL without encryption', () => {
      expect(problemsOf({ ...production, PUBLIC_URL: 'http://media.example.org' })).toEqual([
        'PUBLIC_URL must begin with https:// in production',
      ]);
    });
  });

  describe('of the object storage', () => {
    it('needs the role that uploads assume', () => {
      expect(problemsOf({ S3_BUCKET: 'media' })).toEqual([expect.stringMatching(/^STS_ROLE_ARN is required/)]);
    });

    it.each(['Media', 'm', 'media_uploads', 'media/uploads', '-media'])('has no bucket of the name %s', (S3_BUCKET) => {
      const problems = problemsOf({ S3_BUCKET, STS_ROLE_ARN: 'arn:aws:iam::123456789012:role/media-uploads' });
      expect(problems).toEqual([expect.stringMatching(/^S3_BUCKET must be the name of a bucket/)]);
    });

    it.each(['media-uploads', 'arn:aws:s3:::media', 'arn:aws:iam::123456789012:user/media'])('has no role %s', (STS_ROLE_ARN) => {
      expect(problemsOf({ S3_BUCKET: 'media', STS_ROLE_ARN })).toEqual([expect.stringMatching(/^STS_ROLE_ARN must be an ARN/)]);
    });

    it.each([
      [{}, 3001],
      [{ PORT: '4000' }, 4001],
      [{ PORT: '4000', STORAGE_PORT: '9000' }, 9000],
      [{ PORT: '4000', STORAGE_PORT: '0' }, 0],
      [{ PORT: '0' }, 0],
      [{ PORT: '65535' }, 0],
    ])('with %j listens on port %d', (environment, port) => {
      expect(loadConfig(environment).storagePort).toBe(port);
    });
  });

  describe('of a CDN', () => {
    const MEDIA_CDN_URL = 'https://cdn.example.org/media/';
    const rsaKey = (modulusLength = 2_048) =>
      generateKeyPairSync('rsa', { modulusLength }).privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();

    it('is complete with what its signer needs', () => {
      const nginx = loadConfig({ MEDIA_CDN_URL, MEDIA_CDN_SIGNER: 'nginx', MEDIA_CDN_SECRET: 'x' });
      expect(nginx).toMatchObject({ mediaCdnUrl: 'https://cdn.example.org/media', mediaCdnSigner: 'nginx', mediaUrlTtlSeconds: 3_600 });
      expect(problemsOf({ MEDIA_CDN_URL, MEDIA_CDN_SIGNER: 'bunny', MEDIA_CDN_SECRET: 'x' })).toEqual([]);
      const key = rsaKey();
      const cloudfront = { MEDIA_CDN_URL, MEDIA_CDN_SIGNER: 'cloudfront', MEDIA_CDN_KEY_ID: 'K2' };
      for (const given of [key, key.replaceAll('\n', '\\n')]) {
        expect(loadConfig({ ...cloudfront, MEDIA_CDN_PRIVATE_KEY: given }).mediaCdnPrivateKey).toBe(key.trim());
      }
    });

    it.each([
      [{ MEDIA_CDN_URL }, 'MEDIA_CDN_SIGNER is required with MEDIA_CDN_URL: nginx, bunny or cloudfront'],
      [{ MEDIA_CDN_SECRET: 'x' }, 'MEDIA_CDN_URL is required with MEDIA_CDN_SECRET: set the address at which viewers reach the CDN'],
      [
        { MEDIA_CDN_URL, MEDIA_CDN_SIGNER: 'nginx', MEDIA_CDN_KEY_ID: 'K2' },
        'MEDIA_CDN_SECRET is required with MEDIA_CDN_SIGNER=nginx: set the secret with which the CDN checks the tokens',
      ],
      [{ MEDIA_CDN_URL, MEDIA_CDN_SIGNER: 'akamai' }, 'MEDIA_CDN_SIGNER must be one of nginx, bunny, cloudfront'],
      [
        { MEDIA_CDN_URL: 'https://cdn.example.org/?a', MEDIA_CDN_SIGNER: 'nginx', MEDIA_CDN_SECRET: 'x' },
        'MEDIA_CDN_URL must begin with http:// or https:// and have no user name, query or fragment',
      ],
      [
        { MEDIA_CDN_URL, MEDIA_CDN_SIGNER: 'cloudfront', MEDIA_CDN_KEY_ID: 'K2', MEDIA_CDN_PRIVATE_KEY: rsaKey(1_024) },
        'MEDIA_CDN_PRIVATE_KEY must be a key of at least 2048 bits',
      ],
    ])('with %j says what to do', (environment, problem) => {
      expect(problemsOf(environment)).toEqual([problem]);
    });

    it('names everything that is missing', () => {
      expect(problemsOf({ MEDIA_CDN_URL, MEDIA_CDN_SIGNER: 'cloudfront', MEDIA_CDN_SECRET: 'x' })).toEqual([
        'MEDIA_CDN_KEY_ID is required with MEDIA_CDN_SIGNER=cloudfront: set the id of the public key in the key group',
        'MEDIA_CDN_PRIVATE_KEY is required with MEDIA_CDN_SIGNER=cloudfront: set the private key that belongs to it, in PEM',
      ]);
    });

    it('in production is encrypted, with secrets that cannot be guessed', () => {
      const cdn = {
        MEDIA_CDN_URL: 'http://cdn.example.org',
        MEDIA_CDN_SIGNER: 'nginx',
        MEDIA_CDN_SECRET: 'x',
        MEDIA_CDN_ORIGIN_SECRET: 'y',
      };
      expect(problemsOf({ ...production, ...cdn })).toEqual([
        'MEDIA_CDN_URL must begin with https:// in production',
        'MEDIA_CDN_SECRET must have at least 16 characters in production: openssl rand -hex 32',
        'MEDIA_CDN_ORIGIN_SECRET must have at least 16 characters in production: openssl rand -hex 32',
      ]);
    });
  });

  it.each([
    ['APP_SECRET', SECRET.slice(0, 20)],
    ['APP_SECRET_PREVIOUS', `${SECRET},${SECRET.slice(0, 20)}`],
    ['SIGNING_KEYS', SECRET],
    ['SIGNING_KEYS', JSON.stringify({ keys: [{ kty: 'EC', crv: 'P-256', d: SECRET, kid: 'one', x: 'x', y: 'y' }] })],
    ['DATABASE_URL', `postgres://platform:${SECRET}@[broken/platform`],
    ['DATABASE_URL', `mysql://platform:${SECRET}@db.example.org/platform`],
    ['DATABASE_URL', `platform:${SECRET}`],
    ['DATABASE_URL', `postgres://platform:${SECRET}@db-1,[broken/platform`],
    ['DATABASE_URL', `postgres://platform:${SECRET}@db-1,db-2/platform?target_session_attrs=standby`],
    ['MEDIA_CDN_ORIGIN_SECRET', `${SECRET} with blanks`],
  ])('never reveals a secret: %s', (variable, value) => {
    const problems = problemsOf({ [variable]: value });
    expect(problems).toEqual([expect.stringMatching(`^${variable} `)]);
    expect(problems.join('')).not.toContain(SECRET.slice(0, 20));
  });
});

describe('DATABASE_URL', () => {
  it.each([
    ['postgres://u:p@db:5433/d?sslmode=verify-full', ['postgres://u:p@db:5433/d?sslmode=verify-full']],
    ['postgres://u:a,b@db-1,db-2:5433/d', ['postgres://u:a,b@db-1/d', 'postgres://u:a,b@db-2:5433/d']],
    [
      'postgresql://[::1]:1,[::2]:2/d?application_name=a,b',
      ['postgresql://[::1]:1/d?application_name=a,b', 'postgresql://[::2]:2/d?application_name=a,b'],
    ],
    ['postgres:///d?host=/run/postgresql', ['postgres:///d?host=/run/postgresql']],
  ])('%s leads to servers', (url, servers) => {
    expect(serverUrls(url)).toEqual(servers);
    expect(loadConfig({ DATABASE_URL: url }).databaseUrl).toBe(url);
  });
});

describe('the name of an environment variable', () => {
  it('is the name of the setting in capitals', () => {
    expect(['port', 'publicUrl', 'refreshTtlSeconds'].map(environmentName)).toEqual(['PORT', 'PUBLIC_URL', 'REFRESH_TTL_SECONDS']);
  });

  it('differs for every setting', () => {
    const names = Object.keys(settings).map(environmentName);
    expect(new Set(names).size).toBe(names.length);
    for (const name of names) expect(name).toMatch(/^[A-Z][A-Z0-9_]*$/);
  });
});
