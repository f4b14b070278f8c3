import type { CompiledPolicy } from './compile-policy.js';
import { alternativesOf, type Check, checks, type DeliveryRule, type DenialCode } from './decide-delivery.js';
import { hostName, refererPage } from './host-names.js';
import type { Viewer } from './viewer.js';

export interface RuleOutcome {
  readonly rule: DeliveryRule;
  /** skipped: it is not set, or one that suffices instead has passed. */
  readonly result: 'passed' | 'failed' | 'skipped';
  readonly detail: string;
}

export interface DeliveryExplanation {
  readonly allowed: boolean;
  /** The first rule in the way, and what viewers get for it. */
  readonly rule: DeliveryRule | null;
  readonly code: DenialCode | null;
  readonly rules: readonly RuleOutcome[];
}

/** The decision with what each rule had to do with it: a viewer is allowed when none has failed, and denied by the first that has. */
export function explainDelivery(policy: CompiledPolicy, viewer: Viewer): DeliveryExplanation {
  const alternatives = alternativesOf(policy, viewer);
  const sufficient = alternatives.find((check) => check.refuse(policy, viewer) === null);
  const judged = checks.map((check) => {
    const instead = sufficient && alternatives.includes(check) ? sufficient : null;
    return { check, code: check.refuse(policy, viewer), outcome: outcomeOf(check, { policy, viewer, instead }) };
  });
  const denied = judged.find(({ outcome }) => outcome.result === 'failed');
  return {
    allowed: !denied,
    rule: denied?.check.rule ?? null,
    code: denied?.code ?? null,
    rules: judged.map(({ outcome }) => outcome),
  };
}

interface Situation {
  readonly policy: CompiledPolicy;
  readonly viewer: Viewer;
  /** The rule that passed and of which one suffices; null: the check has to pass. */
  readonly instead: Check | null;
}

function outcomeOf(check: Check, { policy, viewer, instead }: Situation): RuleOutcome {
  const { rule } = check;
  if (!check.isSet(policy, viewer)) return { rule, result: 'skipped', detail: UNSET[rule] };
  const detail = DETAILS[rule](policy, viewer);
  if (check.refuse(policy, viewer) === null) return { rule, result: 'passed', detail };
  if (instead) return { rule, result: 'skipped', detail: `${detail} It is not needed, because ${instead.rule} has passed.` };
  return { rule, result: 'failed', detail };
}

const UNSET: Readonly<Record<DeliveryRule, string>> = {
  auth: 'No sign-in is required.',
  extAuth: 'No token of another server is required.',
  oauth: 'No access token of a client application is required.',
  ipWhiteList: 'Every address is allowed.',
  matchReferer: 'Pages on any host may show it.',
  'url.cname': 'It is delivered on every host.',
  formats: 'No format was named.',
};

const DETAILS: Readonly<Record<DeliveryRule, (policy: CompiledPolicy, viewer: Viewer) => string>> = {
  auth: (_, { userOfCustomer }) => (userOfCustomer ? 'A user of the customer is signed in.' : 'No user of the customer is signed in.'),
  extAuth: ({ extAuth }, { extAuthAccessKey: key }) => {
    if (key === null) return 'There is no token that was made by POST /v5/extAuth.';
    const allowed = extAuth?.accessKeys.has(key) ? 'is' : 'is not';
    return `The token was made by the access key ${key}, which ${allowed} in allowedAccessKeys.`;
  },
  oauth: ({ oauth }, { tokenClientId, sessionClientId }) => {
    if (tokenClientId !== null) return `The access token was issued to ${tokenClientId}; allowed is ${oauth?.clientId}.`;
    if (!oauth?.bySession) return `There is no access token of ${oauth?.clientId}.`;
    if (sessionClientId === oauth.clientId) return `The user of the login session has authorized ${oauth.clientId}.`;
    return `There is neither an access token of ${oauth.clientId} nor a login session whose user has authorized it.`;
  },
  ipWhiteList: ({ ipWhiteList }, { address }) => {
    if (!address) return 'The address of the viewer is not known.';
    if (ipWhiteList?.isEmpty) return 'The list has no range, so no address is allowed.';
    return `The address is in ${ipWhiteList?.covers(address) ? 'a' : 'no'} range of the list.`;
  },
  matchReferer: ({ matchReferer }, { referer, fromPlayer }) => {
    if (fromPlayer) return 'The player page of the link asks.';
    const page = refererPage(referer);
    if (referer === null) return 'The request names no page that it comes from, neither by Referer nor by Origin.';
    if (page === null) return 'The page that the request comes from has no host.';
    return `The request comes from a page of ${page.host}, port ${page.port}, which is ${matchReferer?.match(page) ? '' : 'not '}in the list.`;
  },
  'url.cname': ({ cname }, { host }) =>
    `The host is ${hostName(host) ?? 'not known'}; links are delivered on ${cname || 'no host, because the configured name is not valid'}.`,
  formats: ({ formats }, { formatId, download }) => {
    if (formatId === undefined)
      return `${[...formats.values()].includes(true) ? 'A' : 'No'} format of the configuration may be downloaded.`;
    const downloadable = formats.get(formatId);
    if (downloadable === undefined) return `The configuration does not deliver the format ${formatId}.`;
    const may = downloadable ? 'may be downloaded' : 'may not be downloaded';
    return `The configuration delivers the format ${formatId}${download ? `, which ${may}` : ''}.`;
  },
};
