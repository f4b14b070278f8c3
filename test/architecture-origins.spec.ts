import { describe, expect, it } from '@jest/globals';
import { AppModule } from '../src/app.module.js';
import { PROVIDER_ROUTES, protocolOperations } from '../src/modules/oauth/index.js';
import { isOwnForm, readersOf } from '../src/shared/auth/index.js';
import { loadConfig } from '../src/shared/config/index.js';
import { createLog } from '../src/shared/logging/index.js';
import { routesOf } from './support/documents/routes.js';

/** Every route: those of the controllers, of oidc-provider, and the documented ones of the front pipeline. */
const routes = allRoutes();

function allRoutes(): { name: string; method: string; path: string }[] {
  const controllers = routesOf(AppModule.for(loadConfig({}), createLog({ level: 'silent', service: 'test' }))).map(({ name }) => name);
  const documented = Object.entries(protocolOperations()).flatMap(([path, operations]) =>
    Object.keys(operations ?? {}).map((method) => `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ':$1')}`),
  );
  return [...new Set([...controllers, ...PROVIDER_ROUTES, ...documented, 'GET /docs', 'GET /metrics'])].sort().map((name) => {
    const [method = '', path = ''] = name.split(' ');
    return { name, method, path: path.replace(/:\w+/g, '1') };
  });
}

const namesOf = (chosen: typeof routes): string[] => chosen.map(({ name }) => name);

describe('pages of other origins', () => {
  const readBy = (readers: string) => namesOf(routes.filter(({ method, path }) => readersOf(method, path) === readers));

  it('of registered clients may read the API with cookies, and of /v4 only this', () => {
    const open = readBy('clients');
    expect(open.filter((name) => !name.includes(' /v5/'))).toEqual([
      'DELETE /v4/apps/:id',
      'GET /.well-known/oauth-authorization-server',
      'GET /.well-known/openid-configuration',
      'GET /v4/apps',
      'GET /v4/jwks',
      'GET /v4/userinfo',
      'POST /v4/checkSignedSession',
      'POST /v4/deauthorize',
      'POST /v4/introspect',
      'POST /v4/requestCode',
      'POST /v4/revoke',
      'POST /v4/token',
      'POST /v4/userinfo',
    ]);
    expect(open.length).toBeGreaterThan(60);
    expect(readBy('clients-without-cookies')).toEqual(['GET /v4/requestCode']);
  });

  it('of any site may read what viewers see and hear, without cookies', () => {
    expect(readBy('all')).toEqual([
      'GET /v5/deliverEmbed/:link',
      'GET /v5/deliverEmbed/:link/image',
      'GET /v5/deliverEmbed/:link/master.m3u8',
      'GET /v5/deliverEmbed/:link/media/:mediaId.m3u8',
      'GET /v5/deliverEmbed/:link/media/:mediaId.mp4',
      'GET /v5/deliverEmbed/:link/player',
      'GET /v5/deliverEmbed/:link/preview',
      'GET /v5/deliverEmbed/:link/progress',
      'GET /v5/deliverEmbed/:link/sign-in',
      'GET /v5/deliverEmbed/:link/storyboard.vtt',
      'GET /v5/deliverEmbed/:link/storyboard/:mediaId.jpg',
      'GET /v5/deliverEmbed/:link/subtitles/:mediaId.vtt',
      'GET /v5/deliverFile/:link',
      'POST /v5/deliverEmbed/:link/lease',
      'POST /v5/deliverEmbed/:link/plays',
    ]);
  });

  it('may read nothing else', () => {
    expect(readBy('none').filter((name) => name.includes(' /v5'))).toEqual([]);
    expect(new Set(readBy('none').map((name) => name.replace(/^\w+ (\/(?:v4\/)?[^/]*).*/, '$1')))).toEqual(
      new Set([
        '/',
        '/account',
        '/console',
        '/d',
        '/dev',
        '/docs',
        '/health',
        '/l',
        '/metrics',
        '/v4/authorize',
        '/v4/interaction',
        '/v4/logout',
        '/v4/saml',
      ]),
    );
  });
});

describe('requests that change something', () => {
  const changing = routes.filter(({ method }) => method !== 'GET');

  it('and are forms of pages that people see come from our own pages only', () => {
    expect(namesOf(changing.filter(({ method, path }) => isOwnForm(method, path)))).toEqual([
      'POST /account/authenticator',
      'POST /account/authenticator/remove',
      'POST /account/deauthorize',
      'POST /account/email',
      'POST /account/end-other-sessions',
      'POST /account/end-session',
      'POST /account/forgot',
      'POST /account/link',
      'POST /account/link/email',
      'POST /account/link/factor-reset',
      'POST /account/link/invitation',
      'POST /account/link/not-me',
      'POST /account/link/reset',
      'POST /account/name',
      'POST /account/passkeys/:id/remove',
      'POST /account/passkeys/:id/rename',
      'POST /account/passkeys/new',
      'POST /account/password',
      'POST /account/recovery-codes',
      'POST /account/support',
      'POST /v4/interaction/:uid/cancel',
      'POST /v4/interaction/:uid/code',
      'POST /v4/interaction/:uid/consent',
      'POST /v4/interaction/:uid/enrol-app',
      'POST /v4/interaction/:uid/enrol-passkey',
      'POST /v4/interaction/:uid/finish',
      'POST /v4/interaction/:uid/login',
      'POST /v4/interaction/:uid/passkey',
      'POST /v4/interaction/:uid/password',
      'POST /v4/interaction/:uid/start-over',
      'POST /v4/interaction/:uid/window/:answer',
      'POST /v4/logout/confirm',
    ]);
  });

  it('may come from other sites if they belong to the API; these may, too', () => {
    const exempt = changing.filter(({ method, path }) => !isOwnForm(method, path) && readersOf(method, path) === 'none');
    expect(namesOf(exempt)).toEqual([
      'POST /v4/logout', // answered with a question
      'POST /v4/saml/:ssoIdentifier/acs', // bound to a request of this service and to the browser
    ]);
  });
});
