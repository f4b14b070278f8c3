import { beforeAll, describe, expect, it } from '@jest/globals';
import { aClient, aUser } from '../support/accounts/scenario.js';
import { useTestAppWithStorage } from '../support/app/test-app.js';
import { aFormat, blueprintOf, type FormatBody } from '../support/converter/formats.js';
import { fullPlayerConfiguration } from '../support/delivery/full-player-configuration.js';
import { uploadMedia } from '../support/media/media.js';
import { call, tokenOf } from '../support/media/uploads.js';

interface Body extends Record<string, unknown> {
  readonly id: number;
  readonly ignored?: readonly { readonly path: string; readonly reason: string }[];
}

const { app } = useTestAppWithStorage();
let token: string;
let image: { id: number };
beforeAll(async () => {
  token = await tokenOf(app, await aUser(app, { adminLevel: 10 }));
  image = await uploadMedia(app, token, { content: 'a portrait' });
});

const send = async (method: string, path: string, body?: object) => await call<Body>(`${app.url}/v5/${path}`, { method, token, body });
/** What a change that succeeded did not take: reasons by their paths; null: the answer has no such member. */
const ignoredBy = async (method: string, path: string, body: object) => {
  const { status, body: answer } = await send(method, path, body);
  expect([status, answer]).toEqual([method === 'POST' ? 201 : 200, expect.anything()]);
  return answer.ignored ? Object.fromEntries(answer.ignored.map((one) => [one.path, one.reason])) : null;
};
const UNKNOWN = 'there is no such member';

describe('a format returns ignored input', () => {
  it('for parameters, unknown members and values without effect', async () => {
    const { id: blueprintId } = await blueprintOf(app, token, 'JPEG');
    const format = {
      ...{ blueprintId, converter: 'imagemagick', name: 'Ours', type: 'image', colour: 'red' },
      settings: {
        parameters: { quality: 800, resize: '100x100>', i: '/etc/passwd' },
        metadata: [{ metaTitle: 'author', size: 3 }],
        imagemagick: { quality: 70, script: 'x' },
        speed: 1,
      },
      configuration: { filetype: 'png' },
      command: { quality: 1 },
    };
    const ignored = {
      colour: UNKNOWN,
      'settings.metadata.0.size': UNKNOWN,
      'settings.speed': UNKNOWN,
      'configuration.filetype': UNKNOWN,
      'command.quality': 'the command is derived from the parameters; set settings.parameters',
      'settings.parameters.quality': expect.stringMatching(/^does not match/),
      'settings.parameters.i': 'not allowed by the blueprint',
      'settings.imagemagick.script': 'not a parameter that imagemagick is given',
    };
    expect(await ignoredBy('POST', 'format', format)).toEqual(ignored);
    const { id } = await aFormat(app, token, { blueprint: 'JPEG', settings: { parameters: { quality: 800 } } });
    const { blueprintId: _blueprintId, converter: _converter, ...changes } = format;
    expect(await ignoredBy('PUT', `format/${id}`, changes)).toEqual(ignored);
    expect(await ignoredBy('PUT', 'format', { id, ...changes })).toEqual(ignored);
    expect(await ignoredBy('PUT', `format/${id}`, { name: 'Ours' })).toBeNull(); // the parameters are stored, but not in this input
  });

  it('of a type that is not the first of its media types', async () => {
    const { id } = await aFormat(app, token);
    const fields = { name: 'Ours', type: 'audio', settings: { mediaTypes: ['video'] } };
    expect(await ignoredBy('PUT', `format/${id}`, fields)).toEqual({ type: 'the media types determine its originals: video' });
  });

  it('but none if all of it was used, or it was sent back as read', async () => {
    const { id } = await aFormat(app, token, { settings: { parameters: { crf: 20 }, ffmpeg: { tune: 'film' } } });
    const read = (await call<FormatBody>(`${app.url}/v5/format/${id}`, { token })).body;
    expect(await ignoredBy('PUT', `format/${id}`, read)).toBeNull();
  });
});

describe('a player configuration returns ignored input', () => {
  const wanted = { name: 'Website', type: 'image', templateId: 0, formats: [] };

  it('of unknown members and media types that have no effect', async () => {
    const fields = {
      ...{ ...wanted, autoplay: true, configuration: { mediaTypes: ['video'], size: 1 } },
      securitySettings: {
        authOnly: false,
        auth: { enabled: false, level: 2 },
        ipWhiteList: [{ cidr: '192.0.2.1', type: 'ipv4', name: 'x' }],
      },
      settings: { subtitle: { lang: 'deu', font: 'x' } },
    };
    const ignored = {
      autoplay: UNKNOWN,
      'configuration.size': UNKNOWN,
      'securitySettings.auth.level': UNKNOWN,
      'securitySettings.ipWhiteList.0.name': UNKNOWN,
      'settings.subtitle.font': UNKNOWN,
      'configuration.mediaTypes': 'it has no effect: the type says what is delivered (image)',
    };
    expect(await ignoredBy('POST', 'playerconfiguration', fields)).toEqual(ignored);
    const { id } = (await send('POST', 'playerconfiguration', wanted)).body;
    expect(await ignoredBy('PUT', `playerconfiguration/${id}`, fields)).toEqual(ignored);
    expect(await ignoredBy('PUT', 'playerconfiguration', { id, ...fields })).toEqual(ignored);
  });

  it('but none if all of it was used, or it was sent back as read', async () => {
    const { clientId } = await aClient(app);
    const { id: formatId } = await aFormat(app, token);
    const full = { ...fullPlayerConfiguration(clientId, image.id), configuration: null, formats: [{ formatId, downloadable: true }] };
    const { id, ...created } = (await send('POST', 'playerconfiguration', full)).body;
    expect(created).not.toHaveProperty('ignored');
    const read = (await send('GET', `playerconfiguration/${id}?showCountEmbeds=true`)).body;
    expect(await ignoredBy('PUT', `playerconfiguration/${id}`, read)).toBeNull();
    const { freshness: _freshness, countEmbeds: _countEmbeds, ...stored } = read;
    expect((await send('GET', `playerconfiguration/${id}`)).body).toMatchObject(stored);
  });
});

describe('a subscription returns ignored input', () => {
  const instructions = [
    { type: 'https', url: 'https://hooks.example.org/a?token=secret', headers: { 'x-key': 'secret' }, payload: { password: 'secret' } },
    {
      type: 'api',
      method: 'PUT',
      path: 'v5/mediacontainer/:mediaContainerId',
      payload: { tags: ['a'] },
      expected: [{ path: 'id', value: 1 }],
    },
    { type: 'email', template: 'uploadComplete', parameters: { token: 'secret' }, to: [{ recipient: ':user.email', language: 'en' }] },
  ];
  const wanted = {
    name: 'event:s3success',
    flag: 0,
    conditions: { methods: ['create'], payload: { any: 1 } },
    instructions,
    notes: 'ours',
  };

  it('of unknown members', async () => {
    const [https, api, email] = instructions;
    const fields = {
      ...{ ...wanted, colour: 1, conditions: { ...wanted.conditions, day: 'monday' } },
      instructions: [
        { ...https, verify: false },
        { ...api, as: null, expected: [{ path: 'id', value: 1, not: true }] },
        { ...email, to: [{ recipient: ':user.email', name: 'Ada' }] },
      ],
    };
    const paths = ['colour', 'conditions.day', 'instructions.0.verify', 'instructions.1.expected.0.not', 'instructions.2.to.0.name'];
    const ignored = Object.fromEntries(paths.map((path) => [path, UNKNOWN]));
    expect(await ignoredBy('POST', 'subscriptions', fields)).toEqual(ignored);
    const { id } = (await send('POST', 'subscriptions', wanted)).body;
    expect(await ignoredBy('PUT', `subscriptions/${id}`, fields)).toEqual(ignored);
    expect(await ignoredBy('PUT', 'subscriptions', { id, ...fields })).toEqual(ignored);
  });

  it('but none if all of it was used, or it was sent back as read, which keeps its secrets', async () => {
    const created = (await send('POST', 'subscriptions', wanted)).body;
    expect(created).not.toHaveProperty('ignored');
    const read = (await send('GET', `subscriptions/${created.id}`)).body;
    expect(JSON.stringify(read)).not.toContain('secret"');
    for (const back of [read, created]) expect(await ignoredBy('PUT', `subscriptions/${created.id}`, back)).toBeNull();
    const after = (await send('GET', `subscriptions/${created.id}`)).body;
    expect(after).toEqual({ ...read, updatedAt: after.updatedAt });
  });

  it('of the payload of a template', async () => {
    const payload = { mediaContainerId: image.id, templateId: 7, receiver: [{ recipient: 'press@example.org', name: 'x' }], subject: 'x' };
    expect(await ignoredBy('POST', 'subscriptions/createDownloadLink', { payload, extra: 1 })).toEqual({
      extra: UNKNOWN,
      'payload.subject': UNKNOWN,
      'payload.receiver.0.name': UNKNOWN,
      'payload.templateId': 'there is no template 7; the page is the default one (0)',
    });
    expect(
      await ignoredBy('POST', 'subscriptions/createDownloadLink', { payload: { mediaContainerId: image.id, templateId: 0 } }),
    ).toBeNull();
    expect(await ignoredBy('POST', 'subscriptions/dropsiteUploadStarted', { payload: { size: 1 } })).toEqual({ 'payload.size': UNKNOWN });
    expect(await ignoredBy('POST', 'subscriptions/dropsiteUploadStarted', {})).toBeNull();
  });
});

describe('a download link returns ignored input', () => {
  it('of a template that does not exist, and unknown members', async () => {
    const formatIds = [(await blueprintOf(app, token, 'Original image')).id];
    const link = { mediaContainerIds: [image.id], formatIds };
    expect(await ignoredBy('POST', 'downloadlink', { ...link, templateId: 3, password: 'x' })).toEqual({
      password: UNKNOWN,
      templateId: 'there is no template 3; the page is the default one (0)',
    });
    expect(await ignoredBy('POST', 'downloadlink', { ...link, templateId: 0 })).toBeNull();
  });
});

/** Members that every object of JavaScript has, and others that code is tempted to call. */
const MEMBERS = [
  'hasOwnProperty',
  'constructor',
  'prototype',
  'toString',
  'valueOf',
  '__defineGetter__',
  '__lookupGetter__',
  'isPrototypeOf',
  'then',
  'toJSON',
  'equals',
];

describe('a document with members of any name', () => {
  const document = () => Object.fromEntries(MEMBERS.map((name) => [name, { [name]: 'deep' }]));
  const done = async (method: string, path: string, body?: object) => {
    const { status, body: answer } = await send(method, path, body);
    expect([method, path, status, answer]).toEqual([
      method,
      path,
      method === 'POST' ? 201 : 200,
      expect.objectContaining({ id: expect.any(Number) }),
    ]);
    return answer;
  };

  it('is stored, returned, matched, changed and deleted with a subscription', async () => {
    const https = { type: 'https', url: 'https://hooks.example.org/x', payload: document() };
    const subscription = { name: 'event:s3success', flag: 0, conditions: { payload: document() }, instructions: [https] };
    const { id } = await done('POST', 'subscriptions', subscription);
    expect(await done('GET', `subscriptions/${id}`)).toMatchObject({ instructions: [{ payload: document() }] });
    expect((await done('GET', `subscriptions/${id}`)).conditions).toEqual({ payload: document() });
    const event = { name: 'event:s3success', method: 'create', payload: { ...document(), more: 1 } };
    const ran = await send('POST', 'subscriptions/dryRun', { event });
    expect(ran.body).toEqual(expect.arrayContaining([expect.objectContaining({ subscriptionId: id, matches: true })]));
    const changed = { ...subscription, conditions: { payload: { ...document(), constructor: 'other' } } };
    await done('PUT', `subscriptions/${id}`, changed);
    expect((await done('GET', `subscriptions/${id}`)).conditions).toEqual(changed.conditions);
    const later = await send('POST', 'subscriptions/dryRun', { event });
    expect(later.body).toEqual(expect.arrayContaining([expect.objectContaining({ subscriptionId: id, matches: false })]));
    await done('DELETE', `subscriptions/${id}`);
  });

  it('is stored, returned, changed and deleted with a format and a player configuration', async () => {
    const { id: blueprintId } = await blueprintOf(app, token, 'JPEG');
    const parameters = Object.fromEntries(MEMBERS.map((name) => [name, 'x']));
    const format = { blueprintId, converter: 'imagemagick', name: 'Ours', settings: { parameters } };
    const { id } = await done('POST', 'format', format);
    expect((await done('GET', `format/${id}`)).settings).toMatchObject({ parameters });
    await done('PUT', `format/${id}`, { name: 'Ours again', settings: { parameters: { ...parameters, constructor: 'y' } } });
    await done('PUT', `format/${id}`, { name: 'Ours once more', usage: null });
    await done('DELETE', `format/${id}`);
    const configuration = await done('POST', 'playerconfiguration', {
      ...document(),
      name: 'Website',
      type: 'image',
      templateId: 0,
      formats: [],
      settings: document(),
    });
    await done('PUT', `playerconfiguration/${configuration.id}`, { formats: [], settings: document(), configuration: document() });
    await done('DELETE', `playerconfiguration/${configuration.id}`);
  });

  it('is refused with a member __proto__, at any depth, in any spelling', async () => {
    for (const text of ['{"name":"a","conditions":{"payload":{"__proto__":{"a":1}}}}', '{"x":[{"\\u005f_proto__":1}]}']) {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      const response = await fetch(`${app.url}/v5/subscriptions`, { method: 'POST', headers, body: text });
      expect([response.status, await response.json()]).toEqual([
        400,
        expect.objectContaining({ detail: expect.stringContaining('__proto__') }),
      ]);
    }
  });
});
