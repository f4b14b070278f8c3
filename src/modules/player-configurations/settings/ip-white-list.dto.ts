import { applyDecorators } from '@nestjs/common';
import { ApiExtraModels, ApiProperty, getSchemaPath } from '@nestjs/swagger';
import { IsBoolean, IsIn } from 'class-validator';
import { NestedList, NestedListOrObject, UnlessAbsent } from '../../../shared/validation/index.js';
import { IsAddressRange, IsFamilyOfCidr } from './address-range.js';

/** A range of addresses. */
export class CidrRangeDto {
  /** A range, or one address. @example "192.0.2.0/24" */
  @IsAddressRange()
  cidr: string;

  /** ipv4 or ipv6, as `cidr` is. @example "ipv4" */
  @IsFamilyOfCidr()
  @IsIn(['ipv4', 'ipv6'])
  type: 'ipv4' | 'ipv6';
}

/** Ranges that are allowed, if `enabled`. */
export class IpWhiteListDto {
  /** @example true */
  @UnlessAbsent()
  @IsBoolean()
  enabled?: boolean;

  /** By default the list of `settings.ipWhiteList`. */
  @UnlessAbsent()
  @NestedList(() => CidrRangeDto)
  list?: CidrRangeDto[];
}

/** For classes that have such a list: what its two spellings look like. */
export const DocumentsIpWhiteList = (): ClassDecorator => ApiExtraModels(CidrRangeDto, IpWhiteListDto);

/** An allow-list in any of its spellings: a list of ranges, or an object of `enabled` and `list`. */
export const IsIpWhiteList = (): PropertyDecorator =>
  applyDecorators(
    NestedListOrObject(
      () => CidrRangeDto,
      () => IpWhiteListDto,
    ),
    ApiProperty({
      required: false,
      nullable: true,
      oneOf: [{ type: 'array', items: { $ref: getSchemaPath(CidrRangeDto) } }, { $ref: getSchemaPath(IpWhiteListDto) }],
    }),
  );
