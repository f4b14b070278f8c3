// The baseline: oidc-provider with its in-memory adapter, JWT access tokens like ours, and one active session.
import { generateKeyPairSync } from 'node:crypto';
import Provider from 'oidc-provider';

const issuer = `http://localhost:${process.env.PORT}`;
const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const provider = new Provider(issuer, {
  jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), kid: 'bench', use: 'sig', alg: 'ES256' }] },
  clients: [
    {
      client_id: 'bench',
      redirect_uris: ['https://client.example/cb'],
      token_endpoint_auth_method: 'none',
      id_token_signed_response_alg: 'ES256',
    },
    {
      client_id: 'machine',
      client_secret: 'machine-secret-of-the-benchmarks',
      redirect_uris: [],
      response_types: [],
      grant_types: ['client_credentials'],
      id_token_signed_response_alg: 'ES256',
    },
  ],
  scopes: ['openid'],
  cookies: { keys: ['bench'] },
  pkce: { required: () => false },
  features: {
    devInteractions: { enabled: false },
    clientCredentials: { enabled: true },
    resourceIndicators: {
      enabled: true,
      defaultResource: () => issuer,
      useGrantedResource: () => true,
      getResourceServerInfo: () => ({ scope: 'api', accessTokenFormat: 'jwt', jwt: { sign: { alg: 'ES256' } } }),
    },
  },
  interactions: { url: () => '/nowhere' },
  findAccount: (_ctx, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
  enabledJWA: { idTokenSigningAlgValues: ['ES256'] },
});

const grant = new provider.Grant({ accountId: '1', clientId: 'bench' });
grant.addResourceScope(issuer, 'api');
const grantId = await grant.save(3600);
const session = new provider.Session();
Object.assign(session, { accountId: '1', loginTs: Math.floor(Date.now() / 1000), authorizations: { bench: { sid: 'sid', grantId } } });
await session.save(3600);
const { default: Keygrip } = await import('keygrip');
const cookie = `_session=${session.jti}`;
console.log(`cookie ${cookie}; _session.sig=${new Keygrip(['bench']).sign(cookie)}`);
provider.listen(Number(process.env.PORT), '127.0.0.1', () => console.log('ready'));
