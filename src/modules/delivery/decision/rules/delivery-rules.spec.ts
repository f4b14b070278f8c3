import { describe, expect, it } from '@jest/globals';
import { errorCatalogue } from '../../../../shared/errors.js';
import { denialError, FILE_CODES, LINK_CODES } from '../../delivery.errors.js';
import { compilePolicy, type Denial, decideDelivery, explainDelivery } from '../decide-delivery.js';
import { type DeliveryRule, defineRule, type Viewer } from './delivery-rule.js';
import { deliveryRules } from './index.js';

const viewer: Viewer = {
  address: null,
  referer: null,
  host: 'media.example.org',
  userOfCustomer: false,
  tokenClientId: null,
  sessionClientId: null,
  extAuthAccessKey: null,
};

describe('the rules of delivery', () => {
  it.each<[string, DeliveryRule]>(deliveryRules.map((rule) => [rule.name, rule]))('have their errors in the catalogue: %s', (_, rule) => {
    const codes: readonly string[] = rule.scope === 'link' ? LINK_CODES : FILE_CODES;
    for (const [code, { meaning, viewerText }] of Object.entries(rule.denials)) {
      expect(errorCatalogue.get(code)).toEqual({ kind: 'forbidden', meaning });
      expect(codes).toContain(code);
      const error = denialError({ allowed: false, rule: rule.name, code } as Denial);
      expect(error).toMatchObject({ kind: 'forbidden', code, detail: viewerText, extras: { rule: rule.name } });
    }
  });

  it('are decided and explained by their descriptors alone', () => {
    const toyRule = defineRule({
      name: 'toy',
      combination: 'required',
      scope: 'link',
      denials: { toy_refused: { meaning: 'The toy rule is set.', viewerText: 'Not on a toy.' } },
      readSetting: ({ formats }) => (formats.length > 0 ? formats.length : null),
      findDenial: (length, { host }) => (host === 'toy.example' || length > 1 ? null : 'toy_refused'),
      notSetText: 'There are no toys.',
      explain: (length, { host }) => `There are ${length} toys at ${host}.`,
    });
    const rules: DeliveryRule[] = [...deliveryRules, toyRule];
    const policyOf = (formats: number) => {
      const delivered = Array.from({ length: formats }, (_, formatId) => ({ formatId, downloadable: false }));
      return compilePolicy({ securitySettings: null, settings: null, formats: delivered }, rules);
    };
    const outcome = (formats: number, host: string) => explainDelivery(policyOf(formats), { ...viewer, host }).rules.at(-1);

    expect(decideDelivery(policyOf(1), viewer)).toEqual({ allowed: false, rule: 'toy', code: 'toy_refused' });
    expect(decideDelivery(policyOf(1), { ...viewer, host: 'toy.example' })).toEqual({ allowed: true });
    expect(outcome(0, 'toy.example')).toEqual({ rule: 'toy', result: 'skipped', detail: 'There are no toys.' });
    expect(outcome(1, 'toy.example')).toEqual({ rule: 'toy', result: 'passed', detail: 'There are 1 toys at toy.example.' });
    expect(outcome(1, 'other.example')).toEqual({ rule: 'toy', result: 'failed', detail: 'There are 1 toys at other.example.' });
  });
});
