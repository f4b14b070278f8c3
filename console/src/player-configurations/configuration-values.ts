import type { components } from '@media-delivery/sdk';
import type { MediaType } from '../elements/media-types';
import type { Configuration } from './queries';
import { rulesOf } from './rules';

type Schemas = components['schemas'];

/** What the form of a player configuration contains. Empty fields and lists are not set. */
export interface ConfigurationValues extends Record<string, unknown> {
  readonly name: string;
  readonly type: MediaType;
  readonly templateId: string;
  readonly width: string;
  readonly height: string;
  readonly autoGenerate: boolean;
  readonly formats: { formatId: number; downloadable: boolean }[];
  readonly automaticFormats: boolean;
  /** Whether viewers get the original, if formats are automatic. */
  readonly download: boolean;
  readonly signedIn: boolean;
  readonly accessKeys: string[];
  readonly clientId: string;
  readonly addresses: string[];
  readonly isBoth: boolean;
  readonly pages: string[];
  readonly host: string;
  readonly limits: { cidr: string; type: 'parallel' | 'bandwidth'; limit: string }[];
}

/** The form of a configuration, or of a new one for a type of media. */
export function toValues(configuration: Configuration | null, type: MediaType = 'video'): ConfigurationValues {
  const rules = rulesOf(configuration ?? { securitySettings: null, settings: null });
  return {
    ...{ name: configuration?.name ?? '', type: configuration?.type ?? type, templateId: String(configuration?.templateId ?? 1) },
    ...{ width: String(configuration?.width ?? ''), height: String(configuration?.height ?? '') },
    ...{ autoGenerate: configuration?.autoGenerate ?? false, automaticFormats: configuration?.automaticFormats ?? false },
    download: configuration?.settings?.download === true,
    formats: configuration?.formats?.map(({ formatId, downloadable }) => ({ formatId, downloadable })) ?? [],
    ...{ signedIn: rules.signedIn, accessKeys: [...(rules.accessKeys ?? [])], clientId: rules.clientId ?? '' },
    ...{ addresses: [...(rules.addresses ?? [])], isBoth: rules.isBoth, pages: [...(rules.pages ?? [])], host: rules.host ?? '' },
    limits: rules.limits.map(({ cidr, type: kind, limit }) => ({ cidr, type: kind, limit: String(limit) })),
  };
}

const pixels = (text: string): number | null => (text === '' ? null : Number(text));

/** The field of the form for each rule of `securitySettings`. */
const FIELDS = {
  auth: 'signedIn',
  extAuth: 'accessKeys',
  oauth: 'clientId',
  ipWhiteList: 'addresses',
  authOnly: 'isBoth',
  matchReferer: 'pages',
  url: 'host',
  bandwidthControl: 'limits',
} as const satisfies Readonly<Record<keyof Schemas['SecuritySettingsDto'], keyof ConfigurationValues>>;

type Rule = keyof typeof FIELDS;

/** Rules that older configurations have in `settings`; the form writes them into `securitySettings`. */
const DEPRECATED = {
  ipWhiteList: 'ipWhiteList',
  auth: 'auth',
  extAuth: 'extAuth',
  oauth: 'oauth',
  authOnly: 'authOnly',
  matchReferer: 'matchReferer',
  url: 'cname',
} as const;

/**
 * What is sent to create or change a configuration; settings that the form does not show stay as they are. So do rules whose fields were not changed,
 * since the form shows a list that is empty, and lets in no viewer, as it shows a rule that is not set. `shown`: the fields before the changes.
 */
export function toBody(
  values: ConfigurationValues,
  before: Configuration | null,
  shown: ConfigurationValues,
): Schemas['CreatePlayerConfigurationDto'] {
  const { name, type, autoGenerate, automaticFormats, formats, download } = values;
  const isSent = (rule: Rule) => rule === 'authOnly' || JSON.stringify(values[FIELDS[rule]]) !== JSON.stringify(shown[FIELDS[rule]]);
  const rules = Object.entries(toRules(values, before)).filter(([rule]) => isSent(rule as Rule));
  const old = Object.entries(DEPRECATED).filter(([rule, key]) => isSent(rule as Rule) && before?.settings?.[key] != null);
  const settings = { ...Object.fromEntries(old.map(([, key]) => [key, null])), ...(download !== shown.download && { download }) };
  return {
    ...{ name, type, autoGenerate, automaticFormats, formats, templateId: Number(values.templateId) },
    ...{ width: pixels(values.width), height: pixels(values.height) },
    securitySettings: { authOnly: values.isBoth, ...Object.fromEntries(rules) },
    ...(Object.keys(settings).length > 0 && { settings }),
  };
}

function toRules(values: ConfigurationValues, before: Configuration | null): Schemas['SecuritySettingsDto'] {
  const { signedIn, accessKeys, clientId, addresses, pages, host, limits, isBoth } = values;
  const grants = before?.securitySettings?.oauth?.grants;
  return {
    authOnly: isBoth,
    auth: signedIn ? { enabled: true } : null,
    extAuth: accessKeys.length > 0 ? { enabled: true, allowedAccessKeys: accessKeys } : null,
    oauth: clientId === '' ? null : { enabled: true, clientId, ...(grants && { grants }) },
    ipWhiteList: addresses.length > 0 ? { enabled: true, list: addresses.map((cidr) => ({ cidr, type: familyOf(cidr) })) } : null,
    matchReferer: pages.length > 0 ? pages : null,
    url: host === '' ? null : { cname: host },
    bandwidthControl: limits.length > 0 ? limits.map(({ cidr, type, limit }) => ({ cidr, type, limit: Number(limit) })) : null,
  };
}

const familyOf = (cidr: string): 'ipv4' | 'ipv6' => (cidr.includes(':') ? 'ipv6' : 'ipv4');

/** The field of the form that a path of the input belongs to. */
export function fieldOf(path: string): string {
  const [first = '', second = '', ...rest] = path.split('.');
  if (first === 'formats') return 'formats';
  if (first !== 'securitySettings') return first;
  return second === 'bandwidthControl' ? ['limits', ...rest].join('.') : (FIELDS[second as Rule] ?? path);
}
