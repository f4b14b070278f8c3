import 'reflect-metadata';
import { describe, expect, it } from '@jest/globals';
import { Type } from 'class-transformer';
import {
  Allow,
  ArrayMaxSize,
  ArrayUnique,
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsOptional,
  IsString,
  Max,
  Min,
  ValidateBy,
  ValidateNested,
} from 'class-validator';
import type { Config } from '../config/index.js';
import { DomainError } from '../errors.js';
import { FollowsRule } from '../validation/index.js';
import { CastBoolean, CastInteger } from './input.js';
import { inputValidation } from './input-validation.js';

class FormatDto {
  @IsInt()
  formatId: number;

  @IsOptional()
  @IsIn(['low', 'high'])
  quality?: string;
}

class SettingsDto {
  @IsArray()
  @ValidateNested({ each: true })
  @Type(() => FormatDto)
  formats: FormatDto[];
}

class InputDto {
  @IsString()
  name: string;

  @IsOptional()
  @CastInteger()
  @IsInt()
  @Min(1)
  @Max(10)
  limit?: number;

  @IsOptional()
  @CastBoolean()
  @IsBoolean()
  active?: boolean;

  @IsOptional()
  @ValidateNested()
  @Type(() => SettingsDto)
  settings?: SettingsDto;
}

let elementsChecked = 0;
const countElement = (): boolean => {
  elementsChecked += 1;
  return true;
};
const CountsElements = () => ValidateBy({ name: 'counts', validator: { validate: countElement } }, { each: true });

class LongListDto {
  @ArrayMaxSize(100)
  @ArrayUnique()
  @CountsElements()
  @IsArray()
  ids: number[];
}

@FollowsRule({
  limits: {},
  compile:
    ({ serviceName }) =>
    (input) =>
      (input as { title?: unknown }).title === serviceName ? [] : [{ path: 'title', code: 'is_title', message: `must be ${serviceName}` }],
})
class RuledDto {
  @IsInt()
  id: number;

  @Allow()
  title: string;
}

const pipe = inputValidation({ serviceName: 'Media' } as Config);
/** The problems of an input, or the code of another refusal. */
const problemsOf = async (value: unknown) =>
  await pipe.transform(value, { type: 'custom', metatype: RuledDto }).then(
    () => [],
    ({ code, extras }: DomainError) => extras.errors?.map((one) => `${one.path} ${one.code}`) ?? code,
  );

const check = async (value: unknown) => await inputValidation({} as Config).transform(value, { type: 'custom', metatype: InputDto });

async function refusalOf(value: unknown): Promise<DomainError> {
  const error: unknown = await check(value).then(
    () => new Error('It was accepted.'),
    (refusal: unknown) => refusal,
  );
  if (!(error instanceof DomainError)) throw error;
  return error;
}

describe('the validation of input', () => {
  it('reports all problems together, each with its path in dot notation and a stable code', async () => {
    const refusal = await refusalOf({
      limit: 'many',
      active: 'maybe',
      settings: { formats: [{ formatId: 1 }, { formatId: 'x', quality: 'best' }, {}] },
    });
    expect([refusal.kind, refusal.code]).toEqual(['invalid', 'validation_failed']);
    expect(refusal.extras.errors?.map(({ path, code }) => [path, code])).toEqual([
      ['name', 'required'],
      ['limit', 'type'],
      ['active', 'type'],
      ['settings.formats.1.formatId', 'type'],
      ['settings.formats.1.quality', 'is_in'],
      ['settings.formats.2.formatId', 'required'],
    ]);
    for (const { message } of refusal.extras.errors ?? []) expect(message).toMatch(/\w+ (must|is required)/);
    expect(refusal.detail).toContain('settings.formats.1.quality: ');
  });

  it('reports one problem per field', async () => {
    const { extras } = await refusalOf({ name: 'a', limit: 'many' });
    expect(extras.errors?.map(({ path }) => path)).toEqual(['limit']);
  });

  it('names the field that is a list or object where the other was expected', async () => {
    const paths = async (settings: unknown) => (await refusalOf({ name: 'a', settings })).extras.errors?.map(({ path }) => path);
    expect(await paths({ formats: 'none' })).toEqual(['settings.formats']);
    expect(await paths({ formats: { a: 1 } })).toEqual(['settings.formats']);
    expect(await paths('none')).toEqual(['settings']);
    expect(await paths({ formats: [null] })).toEqual([expect.stringMatching(/^settings\.formats/)]);
  });

  it('drops unknown fields, never refuses them', async () => {
    expect(await check({ name: 'a', other: 1, settings: { formats: [{ formatId: 1, extra: true }], more: {} } })).toEqual({
      name: 'a',
      settings: { formats: [{ formatId: 1 }] },
    });
  });

  it('converts numbers and booleans from text only where declared', async () => {
    expect(await check({ name: 'a', limit: '7', active: 'false' })).toEqual({ name: 'a', limit: 7, active: false });
    expect((await refusalOf({ extra: 7 })).extras.errors).toMatchObject([{ path: 'name' }]);
    for (const limit of ['', ' 7', '7.0', '0x7', '1e1', [7], true]) {
      expect((await refusalOf({ name: 'a', limit })).extras.errors).toMatchObject([{ path: 'limit' }]);
    }
    for (const active of ['true', '1']) expect(await check({ name: 'a', active })).toEqual({ name: 'a', active: true });
    for (const active of ['false', '0']) expect(await check({ name: 'a', active })).toEqual({ name: 'a', active: false });
    for (const active of ['', '2', 'TRUE', 'yes', 1, 0, ['true']]) {
      expect((await refusalOf({ name: 'a', active })).extras.errors).toMatchObject([{ path: 'active' }]);
    }
  });

  it('reports the problems of the rule of an input together with those of its members', async () => {
    expect(await problemsOf({ id: 7, title: 'Media' })).toEqual([]);
    expect(await problemsOf({ id: 7, title: 'Other' })).toEqual(['title is_title']);
    expect(await problemsOf({ id: 'abc', title: 'Other' })).toEqual(['id type', 'title is_title']);
    expect(await problemsOf({ id: 'abc', title: 'Media' })).toEqual(['id type']);
    expect(await problemsOf({})).toEqual(['id required', 'title is_title']);
  });

  it('refuses a list over its limit without looking at all of its elements', async () => {
    const ids = Array.from({ length: 190_000 }, (_, index) => index);
    const refused: unknown = await inputValidation({} as Config)
      .transform({ ids }, { type: 'custom', metatype: LongListDto })
      .catch((error: unknown) => error);
    expect((refused as DomainError).extras.errors).toMatchObject([{ path: 'ids', code: 'array_max_size' }]);
    expect(elementsChecked).toBeLessThanOrEqual(101);
  });
});

describe('a parameter that is no input', () => {
  it.each([Function, Object, String, undefined])('is handed on as it is if the compiler records it as %p', async (metatype) => {
    const value = Object.assign(() => 'x', { extra: 7 });
    expect(await inputValidation({} as Config).transform(value, { type: 'custom', metatype })).toBe(value);
  });
});
