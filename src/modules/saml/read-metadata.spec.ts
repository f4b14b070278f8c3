import { beforeAll, describe, expect, it } from '@jest/globals';
import { readMetadata } from './read-metadata.js';
import { makeCertificate } from './service-provider.service.js';

const NOW = new Date('2026-02-03T14:05:00Z');
const REDIRECT = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect';
const POST = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST';

describe("an identity provider's metadata", () => {
  let current: string;
  let expired: string;
  beforeAll(async () => {
    current = (await makeCertificate('idp.example', NOW)).certificate;
    expired = (await makeCertificate('idp.example', new Date('2000-01-01T00:00:00Z'))).certificate;
  });

  const key = (pem: string, use = ' use="signing"') => {
    const base64 = pem.replaceAll(/-----[A-Z ]+-----|\n/g, '');
    const info = `<ds:X509Data><ds:X509Certificate>\n  ${base64}\n</ds:X509Certificate></ds:X509Data>`;
    return `<md:KeyDescriptor${use}><ds:KeyInfo xmlns:ds="http://www.w3.org/2000/09/xmldsig#">${info}</ds:KeyInfo></md:KeyDescriptor>`;
  };
  const sso = (binding: string, location = 'https://idp.example/sso') =>
    `<md:SingleSignOnService Binding="${binding}" Location="${location}"/>`;
  const role = (content: string, name = 'IDPSSODescriptor', protocol = 'urn:oasis:names:tc:SAML:2.0:protocol') =>
    `<md:${name} protocolSupportEnumeration="${protocol}">${content}</md:${name}>`;
  const entity = (content: string, id = 'https://idp.example/metadata') =>
    `<md:EntityDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" entityID="${id}">${content}</md:EntityDescriptor>`;
  const problems = (xml: string) => {
    const read = readMetadata(xml, NOW);
    return 'problems' in read ? read.problems.join('\n') : read.metadata;
  };

  it('gives the entity id, the address for the redirect binding and every signing certificate once', () => {
    const keys = `${key(expired)}${key(current)}${key(current, '')}${key(expired, ' use="encryption"')}`;
    const xml = entity(role(`${keys}${sso(POST, 'https://idp.example/post')}${sso(REDIRECT)}`));
    const expected = {
      issuer: 'https://idp.example/metadata',
      ssoUrl: 'https://idp.example/sso',
      certificates: [expect.any(String), expect.any(String)],
      leftOut: [],
    };
    expect(problems(`<?xml version="1.0"?>\n${xml}`)).toEqual(expected);
    const federation = `<md:EntitiesDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata">${entity(role('', 'SPSSODescriptor'), 'sp')}${xml}</md:EntitiesDescriptor>`;
    expect(problems(federation)).toEqual(expected);
  });

  it('takes the certificates that can be used, says which it leaves out, and ignores blanks around the entity id', () => {
    const read = problems(entity(role(`${key('AAAA')}${key(current)}${sso(REDIRECT)}`), '\n  https://idp.example/metadata '));
    expect(read).toMatchObject({ issuer: 'https://idp.example/metadata', certificates: [expect.any(String)] });
    expect(read).toMatchObject({ leftOut: [expect.stringMatching(/^Signing certificate 1 must be one X.509 certificate/)] });
  });

  it('describes problems for the person who received the file', () => {
    const good = () => `${key(current)}${sso(REDIRECT)}`;
    const cases: readonly (readonly [string, RegExp])[] = [
      ['', /is not XML/],
      ['hello', /is not XML/],
      ['{"a": 1}', /is not XML/],
      ['<a><b></a>', /is not XML/],
      ['<!DOCTYPE html><html></html>', /DOCTYPE/],
      ['<html/>', /not the metadata of an identity provider: its root element is html/],
      [entity(role('', 'SPSSODescriptor')), /metadata of a service provider/],
      [entity(''), /no IDPSSODescriptor/],
      [entity(role(good(), 'IDPSSODescriptor', 'urn:oasis:names:tc:SAML:1.1:protocol')), /does not speak SAML 2.0/],
      [entity(role(good()), ''), /no entityID/],
      [
        entity(role(good())).replace('entityID', 'validUntil="2026-02-03T14:04:59Z" entityID'),
        /no longer valid \(validUntil 2026-02-03T14:04:59Z\)/,
      ],
      [entity(role(good())).replace('entityID', 'validUntil="soon" entityID'), /no longer valid \(validUntil soon\)/],
      [entity(role(sso(REDIRECT))), /no signing certificate/],
      [entity(role(`${key(current, ' use="encryption"')}${sso(REDIRECT)}`)), /no signing certificate/],
      [entity(role(`${key('AAAA')}${sso(REDIRECT)}`)), /Signing certificate 1 must be one X.509 certificate/],
      [entity(role(`${key(expired)}${sso(REDIRECT)}`)), /Every signing certificate has expired \(the last one on 2020-01-01\)/],
      [entity(role(`${key(current)}${sso(POST)}`)), /no SingleSignOnService with the HTTP-Redirect binding \(there is: HTTP-POST\)/],
      [entity(role(key(current))), /\(there is: none\)/],
      [entity(role(`${key(current)}${sso(REDIRECT, 'javascript:alert(1)')}`)), /not an http or https address/],
      [
        `<m:EntitiesDescriptor xmlns:m="urn:oasis:names:tc:SAML:2.0:metadata">${entity(role(good()))}${entity(role(good()))}</m:EntitiesDescriptor>`,
        /describes 2 identity providers/,
      ],
    ];
    for (const [xml, message] of cases) expect(problems(xml)).toMatch(message);
  });

  it('reports all problems together', () => {
    expect(String(problems(entity(role(''), ''))).split('\n')).toHaveLength(3);
  });
});
