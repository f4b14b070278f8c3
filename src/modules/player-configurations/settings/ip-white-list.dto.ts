import { isIP } from 'node:net';
import { applyDecorators } from '@nestjs/common';
import { ApiExtraModels, ApiProperty, getSchemaPath } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { ValidateBy } from 'class-validator';
import type { FieldProblem } from '../../../shared/errors.js';
import { type Limits, presupposes, ValidateDeeply, valueTypes } from '../../../shared/validation/index.js';

type AddressFamily = 'ipv4' | 'ipv6';

const RANGE = /^([\d.:a-f]+)(?:\/(0|[1-9]\d{0,2}))?$/i; // no zone (`%eth0`), which has a meaning only on one machine

/** The longest address in text (RFC 4291 section 2.2, with an embedded IPv4 address), and its number of bits. */
const MAX_RANGE_CHARACTERS = 45 + '/128'.length;

/** The address family of a CIDR range or a single address; null: the text is neither. */
export function familyOfRange(range: unknown): AddressFamily | null {
  const [, address = '', bits] = (typeof range === 'string' && RANGE.exec(range)) || [];
  const family = isIP(address);
  if (family === 0 || Number(bits ?? 0) > (family === 4 ? 32 : 128)) return null;
  return family === 4 ? 'ipv4' : 'ipv6';
}

/** The message for a text that is not an address range. */
const CIDR_MESSAGE = 'cidr must be a range in CIDR notation (192.0.2.0/24, 2001:db8::/32) or a single address';

export const IsAddressRange = (): PropertyDecorator =>
  ValidateBy(
    { name: 'isCidr', validator: { validate: (value) => familyOfRange(value) !== null, defaultMessage: () => CIDR_MESSAGE } },
    presupposes('text', { maxLength: MAX_RANGE_CHARACTERS }),
  );

const MAX_RANGES = 10_000; // contract section 12.1

const LIST_LIMITS: Limits = { maxItems: MAX_RANGES, items: { properties: { cidr: { maxLength: MAX_RANGE_CHARACTERS } } } };

/** A range of addresses. */
export class CidrRangeDto {
  /** A range, or a single address. @example "192.0.2.0/24" */
  cidr: string;
  /** The address family of `cidr`: ipv4 or ipv6. @example "ipv4" */
  type: 'ipv4' | 'ipv6';
}

/** Ranges of allowed addresses; applied if `enabled`. */
export class IpWhiteListDto {
  /** @example true */
  enabled?: boolean;
  /** Default: the list of `settings.ipWhiteList`. */
  list?: CidrRangeDto[];
}

/** For classes with such a list: adds both of its spellings to the OpenAPI document. */
export const DocumentsIpWhiteList = (): ClassDecorator => ApiExtraModels(CidrRangeDto, IpWhiteListDto);

/**
 * An allow-list in either of its forms: a list of ranges, or an object with `enabled` and `list`. Written by hand instead of with nested classes,
 * because class-validator takes half a second for the largest allowed list. `isListDeprecated`: the document says so.
 */
export const IsIpWhiteList = ({ isListDeprecated = false } = {}): PropertyDecorator =>
  applyDecorators(
    Transform(({ value }: { value: unknown }) => withoutUnknownMembers(value)),
    ValidateDeeply('isIpWhiteList', findProblems, { oneOf: [LIST_LIMITS, { properties: { list: LIST_LIMITS } }] }),
    ApiProperty({
      required: false,
      nullable: true,
      oneOf: [
        { type: 'array', items: { $ref: getSchemaPath(CidrRangeDto) }, ...(isListDeprecated && { deprecated: true }) },
        { $ref: getSchemaPath(IpWhiteListDto) },
      ],
    }),
  );

function withoutUnknownMembers(value: unknown): unknown {
  if (Array.isArray(value)) return toRanges(value);
  return isObject(value) ? pick(value, { enabled: (enabled) => enabled, list: toRanges }) : value;
}

const toRanges = (list: unknown): unknown =>
  Array.isArray(list) && list.length <= MAX_RANGES
    ? list.map((range: unknown) => (isObject(range) ? pick(range, { cidr: (cidr) => cidr, type: (type) => type }) : range))
    : list;

/** The named members that an object has, each converted by its function. */
const pick = (from: object, members: Readonly<Record<string, (value: unknown) => unknown>>): object =>
  Object.fromEntries(
    Object.entries(members).flatMap(([name, read]) => (Object.hasOwn(from, name) ? [[name, read(from[name as keyof typeof from])]] : [])),
  );

function findProblems(value: unknown): FieldProblem[] {
  if (Array.isArray(value)) return findListProblems(value, '');
  if (!isObject(value)) return [wrongType('', 'ipWhiteList', 'listOrObject')];
  const { enabled, list } = value as { readonly enabled?: unknown; readonly list?: unknown };
  return [
    ...(enabled === undefined || typeof enabled === 'boolean' ? [] : [wrongType('enabled', 'enabled', 'boolean')]),
    ...(list === undefined ? [] : findListProblems(list, 'list')),
  ];
}

function findListProblems(list: unknown, path: string): FieldProblem[] {
  if (!Array.isArray(list)) return [wrongType(path, 'list', 'list')];
  if (list.length > MAX_RANGES) {
    return [{ path, code: 'too_large', message: `the list must not have more than ${MAX_RANGES} ranges` }];
  }
  return list.flatMap((range: unknown, index) => findRangeProblems(range, path === '' ? String(index) : `${path}.${index}`));
}

function findRangeProblems(range: unknown, path: string): FieldProblem[] {
  if (!isObject(range)) return [wrongType(path, 'each range', 'object')];
  const { cidr, type } = range as { readonly cidr?: unknown; readonly type?: unknown };
  const family = familyOfRange(cidr);
  if (family !== null && type === family) return [];
  return [
    ...(findTextProblems(cidr, `${path}.cidr`, 'cidr') ??
      (family ? [] : [{ path: `${path}.cidr`, code: 'is_cidr', message: CIDR_MESSAGE }])),
    ...(findTextProblems(type, `${path}.type`, 'type') ?? findFamilyProblems(type, family, `${path}.type`)),
  ];
}

/** Finds a family that contradicts the range; compared only if the range itself is valid. */
function findFamilyProblems(type: unknown, family: string | null, path: string): FieldProblem[] {
  if (type !== 'ipv4' && type !== 'ipv6') return [{ path, code: 'is_in', message: 'type must be ipv4 or ipv6' }];
  return family === null || family === type
    ? []
    : [{ path, code: 'is_family_of_cidr', message: `type must be ${family}, the address family of cidr` }];
}

/** The problems of a value that is not a text; null: it is a text. */
function findTextProblems(value: unknown, path: string, name: string): FieldProblem[] | null {
  if (value === undefined || value === null) return [{ path, code: 'required', message: `${name} is required` }];
  return typeof value === 'string' ? null : [wrongType(path, name, 'text')];
}

const wrongType = (path: string, name: string, type: keyof typeof valueTypes): FieldProblem => ({
  path,
  code: 'type',
  message: `${name} ${valueTypes[type].words}`,
});

const isObject = (value: unknown): value is object => valueTypes.object.accepts(value);
