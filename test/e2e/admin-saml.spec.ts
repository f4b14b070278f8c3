import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { makeCertificate } from '../../src/modules/saml/service-provider.service.js';
import { Database } from '../../src/shared/database/index.js';
import { admin, applyDocument, auditTrail } from '../support/app/admin.js';
import { startTestApp, type TestApp } from '../support/app/test-app.js';

describe('identity providers', () => {
  let app: TestApp;
  let certificate: string;
  let metadata: string;
  const folder = mkdtempSync(path.join(tmpdir(), 'saml-metadata-'));

  beforeAll(async () => {
    app = await startTestApp();
    certificate = (await makeCertificate('idp.example', new Date())).certificate;
    const base64 = certificate.replaceAll(/-----[A-Z ]+-----|\n/g, '');
    metadata = `<EntityDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata" entityID="https://idp.example/metadata">
      <IDPSSODescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol">
        <KeyDescriptor><KeyInfo xmlns="http://www.w3.org/2000/09/xmldsig#"><X509Data><X509Certificate>${base64}</X509Certificate></X509Data></KeyInfo></KeyDescriptor>
        <SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect" Location="https://idp.example/sso"/>
      </IDPSSODescriptor></EntityDescriptor>`;
    await applyDocument(app, { customers: [{ name: 'Acme' }, { name: 'Other' }] });
  });
  afterAll(async () => {
    rmSync(folder, { recursive: true });
    await app.close();
  });

  const apply = async (entry: object) => await applyDocument(app, { identityProviders: [entry] });
  const single = (ssoIdentifier: string) => ({
    ssoIdentifier,
    customer: 'Acme',
    issuer: 'https://idp.example/metadata',
    ssoUrl: 'https://idp.example/sso',
    certificates: [certificate],
  });
  const stored = async (ssoIdentifier: string) => {
    const sql = `SELECT issuer, sso_url, certificates, attribute_mapping, create_users, link_by_email, signed_response, updated_at
      FROM identity_providers WHERE sso_identifier = $1`;
    return await app.app.get(Database).queryOne(sql, [ssoIdentifier]);
  };

  it('are made from their metadata or from single fields, to the same', async () => {
    const made = await apply({ ssoIdentifier: 'by-metadata', customer: 'Acme', metadata });
    expect(made.identityProviders).toEqual([{ id: expect.any(Number), ssoIdentifier: 'by-metadata' }]);
    await apply(single('by-fields'));
    const row = await stored('by-metadata');
    expect(row).toEqual({
      issuer: 'https://idp.example/metadata',
      sso_url: 'https://idp.example/sso',
      certificates: [certificate.endsWith('\n') ? certificate : `${certificate}\n`],
      attribute_mapping: {},
      create_users: false,
      link_by_email: true,
      signed_response: true,
      updated_at: expect.any(Date),
    });
    expect(await stored('by-fields')).toEqual({ ...row, updated_at: expect.any(Date) });
  });

  it('stay as they are when they are declared again, and change property by property', async () => {
    const settings = { attributeMapping: { email: 'mail' }, createUsers: true, linkByEmail: false, signedResponse: false };
    await apply({ ...single('twice'), ...settings });
    const row = await stored('twice');
    await apply({ ...single('twice'), ...settings });
    await apply(single('twice'));
    expect(await stored('twice')).toEqual(row);
    await apply({ ...single('twice'), createUsers: false });
    const trail = (await auditTrail(app)).filter((line) => line.endsWith('identity_provider:twice'));
    expect(trail).toEqual([
      'identity_provider.create identity_provider:twice',
      'identity_provider.set_create_users identity_provider:twice',
    ]);
  });

  it('are refused with every problem of the entry', async () => {
    const refused = async (entry: object) => {
      const message = await apply(entry).then(
        () => 'accepted',
        (error: Error) => error.message,
      );
      return message.split('\n').slice(1);
    };
    const wrong = {
      ssoIdentifier: 'a/b',
      customer: 'Nobody',
      issuer: '',
      ssoUrl: 'idp.example',
      certificates: ['x'],
      attributeMapping: { mail: 'm' },
    };
    expect(await refused(wrong)).toEqual([
      expect.stringMatching(/identityProviders\.0\.attributeMapping\.mail: is not a known field/),
      expect.stringMatching(/identityProviders\.0\.issuer: must have 1 to 1024 characters/),
      expect.stringMatching(/identityProviders\.0\.ssoUrl: must be an address/),
      expect.stringMatching(/identityProviders\.0\.certificates\.0: must be one X\.509 certificate: in PEM/),
      expect.stringMatching(/identityProviders\.0\.ssoIdentifier: must be 1 to 64 letters/),
      expect.stringMatching(/identityProviders\.0\.customer: "Nobody" does not exist; declare it under customers/),
    ]);
    expect(await refused({ ssoIdentifier: 'x', customer: 'Acme' })).toEqual(
      ['issuer', 'ssoUrl', 'certificates'].map((name) => `  - identityProviders.0.${name}: is required without metadata`),
    );
    expect(await refused({ ...single('x'), certificates: [] })).toEqual([
      '  - identityProviders.0.certificates: must have at least one item',
    ]);
    expect(await refused({ ssoIdentifier: 'x', customer: 'Acme', metadata, issuer: 'y' })).toEqual([
      '  - identityProviders.0.issuer: is part of the metadata already; give only one of them',
    ]);
    expect(await refused({ ssoIdentifier: 'x', customer: 'Acme', metadata: '<html/>' })).toEqual([
      expect.stringMatching(/identityProviders\.0\.metadata: The file is not the metadata of an identity provider/),
    ]);
    await apply(single('moving'));
    expect(await refused({ ...single('moving'), customer: 'Other' })).toEqual([
      expect.stringMatching(
        /identityProviders\.0\.customer: is not the customer .* It belongs to customer \d+ \("Acme"\): use another ssoIdentifier, or DELETE/,
      ),
    ]);
  });

  it('have metadata that can be checked before', async () => {
    const file = path.join(folder, 'idp.xml');
    writeFileSync(file, metadata);
    expect(await admin(app, ['saml', 'check', file])).toEqual({
      issuer: 'https://idp.example/metadata',
      ssoUrl: 'https://idp.example/sso',
      certificates: [
        {
          subject: 'CN=idp.example',
          validUntil: expect.stringMatching(/^20\d\d-/),
          sha256: expect.stringMatching(/^([0-9A-F]{2}:){31}[0-9A-F]{2}$/),
        },
      ],
    });
    const refused = admin(
      app,
      ['saml', 'check', '-'],
      metadata.replace('HTTP-Redirect', 'HTTP-POST').replace(/<KeyDescriptor>.*<\/KeyDescriptor>/, ''),
    );
    await expect(refused).rejects.toThrow(
      /^stdin cannot be used:\n {2}- There is no SingleSignOnService .*\n {2}- There is no signing certificate/,
    );
  });
});
