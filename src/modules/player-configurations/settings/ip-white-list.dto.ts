import { applyDecorators } from '@nestjs/common';
import { ApiExtraModels, ApiProperty, getSchemaPath } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import type { FieldProblem } from '../../../shared/errors/index.js';
import { ValidateDeeply, valueTypes } from '../../../shared/validation/index.js';
import { CIDR_MESSAGE, familyOfRange } from './address-range.js';

const MAX_RANGES = 10_000; // contract section 12.1

/** A range of addresses. */
export class CidrRangeDto {
  /** A range, or one address. @example "192.0.2.0/24" */
  cidr: string;
  /** ipv4 or ipv6, as `cidr` is. @example "ipv4" */
  type: 'ipv4' | 'ipv6';
}

/** Ranges that are allowed, if `enabled`. */
export class IpWhiteListDto {
  /** @example true */
  enabled?: boolean;
  /** At most 10,000; by default the list of `settings.ipWhiteList`. */
  list?: CidrRangeDto[];
}

/** For classes that have such a list: what its two spellings look like. */
export const DocumentsIpWhiteList = (): ClassDecorator => ApiExtraModels(CidrRangeDto, IpWhiteListDto);

/**
 * An allow-list in any of its spellings: a list of ranges, or an object of `enabled` and `list`. Not by nested classes: class-validator needs
 * half a second for as many ranges as are allowed.
 */
export const IsIpWhiteList = (): PropertyDecorator =>
  applyDecorators(
    Transform(({ value }: { value: unknown }) => withoutUnknownMembers(value)),
    ValidateDeeply('isIpWhiteList', findProblems),
    ApiProperty({
      required: false,
      nullable: true,
      oneOf: [
        { type: 'array', items: { $ref: getSchemaPath(CidrRangeDto) }, maxItems: MAX_RANGES },
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

/** The members that are there, each as its function makes it. */
const pick = (from: object, members: Readonly<Record<string, (value: unknown) => unknown>>): object =>
  Object.fromEntries(
    Object.entries(members).flatMap(([name, read]) => (Object.hasOwn(from, name) ? [[name, read(from[name as keyof typeof from])]] : [])),
  );

function findProblems(value: unknown): FieldProblem[] {
  if (Array.isArray(value)) return inList(value, '');
  if (!isObject(value)) return [wrongType('', 'ipWhiteList', 'listOrObject')];
  const { enabled, list } = value as { readonly enabled?: unknown; readonly list?: unknown };
  return [
    ...(enabled === undefined || typeof enabled === 'boolean' ? [] : [wrongType('enabled', 'enabled', 'boolean')]),
    ...(list === undefined ? [] : inList(list, 'list')),
  ];
}

function inList(list: unknown, path: string): FieldProblem[] {
  if (!Array.isArray(list)) return [wrongType(path, 'list', 'list')];
  if (list.length > MAX_RANGES) {
    return [{ path, code: 'too_large', message: `there must be no more than ${MAX_RANGES} ranges` }];
  }
  return list.flatMap((range: unknown, index) => inRange(range, path === '' ? String(index) : `${path}.${index}`));
}

function inRange(range: unknown, path: string): FieldProblem[] {
  if (!isObject(range)) return [wrongType(path, 'each range', 'object')];
  const { cidr, type } = range as { readonly cidr?: unknown; readonly type?: unknown };
  const family = familyOfRange(cidr);
  const isRight = family !== null && type === family;
  if (isRight) return [];
  return [
    ...(inText(cidr, `${path}.cidr`, 'cidr') ?? (family ? [] : [{ path: `${path}.cidr`, code: 'is_cidr', message: CIDR_MESSAGE }])),
    ...(inText(type, `${path}.type`, 'type') ?? inType(type, family, `${path}.type`)),
  ];
}

/** Says nothing about the family where the range itself is wrong. */
function inType(type: unknown, family: string | null, path: string): FieldProblem[] {
  if (type !== 'ipv4' && type !== 'ipv6') return [{ path, code: 'is_in', message: 'type must be ipv4 or ipv6' }];
  return family === null || family === type ? [] : [{ path, code: 'is_family_of_cidr', message: `type must be that of cidr: ${family}` }];
}

/** What is wrong with a text that is missing or is none; null: it is a text. */
function inText(value: unknown, path: string, name: string): FieldProblem[] | null {
  if (value === undefined || value === null) return [{ path, code: 'required', message: `${name} is required` }];
  return typeof value === 'string' ? null : [wrongType(path, name, 'text')];
}

const wrongType = (path: string, name: string, type: keyof typeof valueTypes): FieldProblem => ({
  path,
  code: 'type',
  message: `${name} ${valueTypes[type].words}`,
});

const isObject = (value: unknown): value is object => valueTypes.object.accepts(value);
