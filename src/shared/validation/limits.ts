import { Allow } from 'class-validator';

/** What validation rules say about a value, as keywords of JSON Schema. src/openapi adds them to the schemas of inputs. */
export interface Limits {
  readonly type?: 'integer';
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxProperties?: number;
  readonly items?: Limits;
  readonly properties?: Readonly<Record<string, Limits>>;
  readonly additionalProperties?: Limits;
  /** In the order of the schema's alternatives. */
  readonly oneOf?: readonly Limits[];
}

/** The context of a rule of class-validator: the limits that it checks. A function, because the class of a nested object may be declared later. */
export interface LimitsContext {
  readonly limits?: () => Limits;
}

/** Declares the limits of a member that are checked elsewhere, for example in a service. */
export const Limited = (limits: Limits): PropertyDecorator => Allow({ context: { limits: () => limits } satisfies LimitsContext });

/** Both limits together; the second one counts where they name the same keyword. */
export function mergeLimits(first: Limits, second: Limits): Limits {
  const { items, properties } = first;
  return {
    ...first,
    ...second,
    ...(items && second.items && { items: mergeLimits(items, second.items) }),
    ...(properties && second.properties && { properties: mergeMembers(properties, second.properties) }),
  };
}

type Members = Readonly<Record<string, Limits>>;

const mergeMembers = (first: Members, second: Members): Members => ({
  ...first,
  ...Object.fromEntries(Object.entries(second).map(([name, limits]) => [name, mergeLimits(first[name] ?? {}, limits)])),
});
