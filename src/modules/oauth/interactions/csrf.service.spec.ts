import { describe, expect, it } from '@jest/globals';
import { loadConfig } from '../../../shared/config/index.js';
import { SecretBoxService } from '../../../shared/secrets/index.js';
import { CsrfService } from './csrf.service.js';

const csrf = (appSecret = 'the secret of this installation, long enough') =>
  new CsrfService(new SecretBoxService(loadConfig({ APP_SECRET: appSecret })));

describe('the token of a form', () => {
  it('is accepted with the interaction or session that it was made for, in any process', () => {
    expect(() => csrf().check('interaction-1', csrf().tokenFor('interaction-1'))).not.toThrow();
  });

  it('needs no escaping in a form', () => {
    expect(csrf().tokenFor('interaction-1')).toMatch(/^[\w-]{43}$/);
  });

  it.each([
    ['of another interaction', csrf().tokenFor('interaction-2')],
    ['of another installation', csrf('another secret of another installation').tokenFor('interaction-1')],
    ['cut off', csrf().tokenFor('interaction-1').slice(0, -1)],
    ['empty', ''],
    ['missing', undefined],
    ['null', null],
    ['sent twice', [csrf().tokenFor('interaction-1'), csrf().tokenFor('interaction-1')]],
    ['an object', { toString: () => csrf().tokenFor('interaction-1') }],
  ])('is refused when it is %s', (_name, token) => {
    expect(() => csrf().check('interaction-1', token)).toThrow(expect.objectContaining({ kind: 'forbidden', code: 'csrf_mismatch' }));
  });
});
