import { domainToASCII } from 'node:url';
import { ValidateBy } from 'class-validator';

const MAX_CHARACTERS = 253; // RFC 1035 section 3.1, without the root's dot
const CHARACTERS = /^[\p{L}\p{M}\p{N}.-]+$/u;
const LABEL = /^[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?$/;
const NUMBER = /^\d+$/;
/** More than anybody writes by hand; each of them is compared with at every delivery and told to browsers. */
const MAX_DOMAINS = 1_000;

/** A domain name in any script, without scheme, port, path or the root's dot. Addresses are none. */
export function isDomainName(value: unknown): value is string {
  const ascii = typeof value === 'string' && CHARACTERS.test(value) ? domainToASCII(value) : '';
  const labels = ascii.split('.');
  return ascii.length <= MAX_CHARACTERS && labels.every((label) => LABEL.test(label)) && !NUMBER.test(labels.at(-1) ?? '');
}

/** `media.example.org`. */
export const IsFullDomainName = (): PropertyDecorator =>
  ValidateBy({
    name: 'isFqdn',
    validator: {
      validate: (value) => isDomainName(value) && value.includes('.'),
      defaultMessage: () => '$property must be a fully qualified domain name (media.example.org), without scheme, port or path',
    },
  });

/** `example.org`, `*.example.org` (its subdomains) or a name of one's own network; a list of them. */
export const AreRefererDomains = (): PropertyDecorator =>
  ValidateBy({
    name: 'isRefererDomain',
    validator: {
      validate: (value) => Array.isArray(value) && value.length <= MAX_DOMAINS && value.every(isRefererDomain),
      defaultMessage: () =>
        `$property must be at most ${MAX_DOMAINS} domains (example.org) or subdomains (*.example.org), without scheme, port or path`,
    },
  });

const isRefererDomain = (value: unknown): boolean => typeof value === 'string' && isDomainName(value.replace(/^\*\./, ''));
