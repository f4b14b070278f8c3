import { isIPv4, isIPv6 } from 'node:net';
import { applyDecorators } from '@nestjs/common';
import { ArrayMaxSize, IsArray, ValidateBy } from 'class-validator';
import { presupposes, toAsciiDomain } from '../../../shared/validation/index.js';

const MAX_CHARACTERS = 253; // RFC 1035 section 3.1, without the root's dot
/** A name with `*.` before it and a port behind it. */
const MAX_HOST_CHARACTERS = '*.'.length + MAX_CHARACTERS + ':65535'.length;
const CHARACTERS = /^[\p{L}\p{M}\p{N}.-]+$/u;
const LABEL = /^[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?$/;
const NUMBER = /^\d+$/;
/** More than people write by hand; each page sends all of them to browsers. */
const MAX_DOMAINS = 1_000;
const MAX_PORT = 65_535;

/** Whether a value is a domain name in any script, without scheme, port, path or the root's dot. IP addresses are not domain names. */
export function isDomainName(value: unknown): value is string {
  const ascii = typeof value === 'string' && value.length <= MAX_CHARACTERS && CHARACTERS.test(value) ? toAsciiDomain(value) : '';
  const labels = ascii.split('.');
  return ascii.length <= MAX_CHARACTERS && labels.every((label) => LABEL.test(label)) && !NUMBER.test(labels.at(-1) ?? '');
}

/** A fully qualified domain name: `media.example.org`. */
export const IsFullDomainName = (): PropertyDecorator =>
  ValidateBy(
    {
      name: 'isFqdn',
      validator: {
        validate: (value) => isDomainName(value) && value.includes('.'),
        defaultMessage: () => '$property must be a fully qualified domain name (media.example.org), without scheme, port or path',
      },
    },
    presupposes('text', { maxLength: MAX_CHARACTERS }),
  );

/** A list of hosts: names (`example.org`), subdomains (`*.example.org`) or IP addresses (`10.0.0.5`, `[2001:db8::5]`), each with an optional port. */
export const AreRefererHosts = (): PropertyDecorator =>
  applyDecorators(
    ValidateBy(
      {
        name: 'isRefererDomain',
        validator: {
          validate: isRefererHost,
          defaultMessage: () =>
            'each host must be a name (example.org), subdomains (*.example.org) or an IP address (10.0.0.5, [2001:db8::5]), ' +
            'with or without a port (example.org:8443), without scheme or path',
        },
      },
      { ...presupposes('text', { maxLength: MAX_HOST_CHARACTERS }), each: true },
    ),
    ArrayMaxSize(MAX_DOMAINS),
    IsArray(),
  );

const HOST_AND_PORT = /^(.*?)(?::([1-9]\d{0,4}))?$/s;

/** Whether a text is a host as `AreRefererHosts` describes it. An IPv6 address is written in brackets, without a zone. */
export function isRefererHost(value: unknown): boolean {
  const [, host = '', port = '1'] = typeof value === 'string' ? (HOST_AND_PORT.exec(value) ?? []) : [];
  if (Number(port) > MAX_PORT) return false;
  const [, bracketed] = /^\[([^%\]]*)\]$/.exec(host) ?? [];
  return isDomainName(host.replace(/^\*\./, '')) || isIPv4(host) || (bracketed !== undefined && isIPv6(bracketed));
}
