import type { OpenAPIObject } from '@nestjs/swagger';

export type Schema = Exclude<NonNullable<NonNullable<OpenAPIObject['components']>['schemas']>[string], { $ref: string }>;

/** Says of members that they are whole numbers: the compiler plugin knows only that they are numbers. */
export function markIntegers({ properties = {} }: Schema, names: readonly string[]): void {
  for (const name of names) {
    const property = properties[name] as Schema | undefined;
    if (property?.type === 'number') property.type = 'integer';
    const items = property?.items as Schema | undefined;
    if (items?.type === 'number') items.type = 'integer';
  }
}

/** Ids that are numbers are whole numbers, in requests and answers alike. */
export function markNumericIds({ components }: OpenAPIObject): void {
  for (const schema of Object.values(components?.schemas ?? {}) as Schema[]) {
    markIntegers(
      schema,
      Object.keys(schema.properties ?? {}).filter((name) => /^id$|Ids?$/.test(name)),
    );
  }
}
