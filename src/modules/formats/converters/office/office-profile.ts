import type { TextFile } from '../converter.js';

/** The folder of LibreOffice's settings, one for each transcoding, so that they do not wait for each other and share nothing. */
export const PROFILE_FOLDER = 'profile';

interface Setting {
  readonly path: string;
  readonly name: string;
  readonly value: string | number | boolean;
}

/** The port "discard", on which no program listens. */
const UNREACHABLE = { host: '127.0.0.1', port: 9 };
const SCRIPTING = '/org.openoffice.Office.Common/Security/Scripting';
const INTERNET = '/org.openoffice.Inet/Settings';
const SETTINGS: readonly Setting[] = [
  { path: SCRIPTING, name: 'MacroSecurityLevel', value: 3 },
  { path: SCRIPTING, name: 'DisableMacrosExecution', value: true },
  { path: SCRIPTING, name: 'DisableActiveContent', value: true },
  { path: SCRIPTING, name: 'BlockUntrustedRefererLinks', value: true },
  { path: '/org.openoffice.Office.Writer/Content/Update', name: 'Link', value: 0 },
  { path: '/org.openoffice.Office.Calc/Content/Update', name: 'Link', value: 1 },
  { path: INTERNET, name: 'ooInetProxyType', value: 1 },
  { path: INTERNET, name: 'ooInetHTTPProxyName', value: UNREACHABLE.host },
  { path: INTERNET, name: 'ooInetHTTPProxyPort', value: UNREACHABLE.port },
  { path: INTERNET, name: 'ooInetHTTPSProxyName', value: UNREACHABLE.host },
  { path: INTERNET, name: 'ooInetHTTPSProxyPort', value: UNREACHABLE.port },
  { path: INTERNET, name: 'ooInetFTPProxyName', value: UNREACHABLE.host },
  { path: INTERNET, name: 'ooInetFTPProxyPort', value: UNREACHABLE.port },
  { path: INTERNET, name: 'ooInetNoProxy', value: '' },
];

const item = ({ path, name, value }: Setting): string =>
  `<item oor:path="${path}"><prop oor:name="${name}" oor:op="fuse"><value>${value}</value></prop></item>`;

/** A document must run no macros and load no other files, neither from this machine nor from the network. */
export const OFFICE_PROFILE: TextFile = {
  name: `${PROFILE_FOLDER}/user/registrymodifications.xcu`,
  content: [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<oor:items xmlns:oor="http://openoffice.org/2001/registry" xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">',
    ...SETTINGS.map(item),
    '</oor:items>',
    '',
  ].join('\n'),
};
