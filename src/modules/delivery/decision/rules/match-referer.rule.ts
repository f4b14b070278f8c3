import { HostPatterns, type RefererPage, refererPage } from '../host-names.js';
import { defineRule, type Viewer } from './delivery-rule.js';

/** `matchReferer`: the page that sends the request has to be on one of the hosts. */
export const matchRefererRule = defineRule({
  name: 'matchReferer',
  combination: 'required',
  scope: 'link',
  denials: {
    referer_not_allowed: {
      meaning: 'The page that the request comes from (Referer or Origin) is unknown or not allowed by the player configuration.',
      viewerText: 'This can be seen only on the websites that its owner has chosen.',
    },
  },
  readSetting: ({ matchReferer }) => (matchReferer ? new HostPatterns(matchReferer) : null),
  findDenial: (hosts, viewer) => (viewer.forEmbedding || findAllowedPage(hosts, viewer) ? null : 'referer_not_allowed'),
  notSetText: 'Pages on any host may show the link.',
  explain: (hosts, { referer, forEmbedding, admittedPage }) => {
    if (forEmbedding) return 'The request describes the link to a page that will show it.';
    const page = admittedPage ?? refererPage(referer);
    if (referer === null) return 'The request does not say which page it comes from: it has neither a Referer nor an Origin header.';
    if (page === null) return 'The Referer or Origin header of the request does not name a web page.';
    return `The request comes from a page of ${page.host}, port ${page.port}, which is ${hosts.match(page) ? '' : 'not '}in the list.`;
  },
});

/** The page because of which a viewer passes the rule: the one that opened the player, or the one that sends the request. */
export const findAllowedPage = (
  hosts: HostPatterns,
  { admittedPage, referer }: Pick<Viewer, 'admittedPage' | 'referer'>,
): RefererPage | null => [admittedPage ?? null, refererPage(referer)].find((page) => page !== null && hosts.match(page)) ?? null;
