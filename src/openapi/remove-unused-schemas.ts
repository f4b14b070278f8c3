import type { OpenAPIObject } from '@nestjs/swagger';

const PREFIX = '#/components/schemas/';

/** Removes schemas that no operation refers to, such as input classes whose members all became parameters. */
export function removeUnusedSchemas({ paths, components }: OpenAPIObject): void {
  const schemas = components?.schemas ?? {};
  const used = new Set<string>();
  const collect = (part: unknown): void => {
    for (const name of referencesIn(part)) {
      if (used.has(name)) continue;
      used.add(name);
      collect(schemas[name]);
    }
  };
  collect(paths);
  for (const name of Object.keys(schemas)) if (!used.has(name)) delete schemas[name];
}

const referencesIn = (part: unknown): string[] =>
  [...(JSON.stringify(part) ?? '').matchAll(/"\$ref":"([^"]+)"/g)].map(([, reference = '']) => reference.slice(PREFIX.length));
