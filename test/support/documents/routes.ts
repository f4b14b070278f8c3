import 'reflect-metadata';
import { RequestMethod, type Type } from '@nestjs/common';
import { METHOD_METADATA, MODULE_METADATA, PATH_METADATA } from '@nestjs/common/constants.js';
import { PUBLIC } from '../../../src/shared/auth/index.js';
import { IDEMPOTENT } from '../../../src/shared/idempotency/index.js';

/** An operation of a controller. */
export interface Route {
  /** For example `GET /v4/apps`. */
  readonly name: string;
  /** Whether it is open without a sign-in. */
  readonly isPublic: boolean;
  /** Whether it honours an Idempotency-Key. */
  readonly isIdempotent: boolean;
}

interface ModuleLike {
  readonly module?: Type;
  readonly imports?: readonly unknown[];
  readonly controllers?: readonly Type[];
}

/** Every operation of the controllers that a module reaches by its imports, without starting anything. */
export function routesOf(root: unknown, seen = new Set<unknown>()): Route[] {
  if (seen.has(root)) return [];
  seen.add(root);
  const dynamic = root as ModuleLike;
  const type = dynamic.module ?? (root as Type);
  const own = <T>(key: string): readonly T[] => (Reflect.getMetadata(key, type) as readonly T[] | undefined) ?? [];
  const controllers = [...own<Type>(MODULE_METADATA.CONTROLLERS), ...(dynamic.controllers ?? [])];
  const imports = [...own<unknown>(MODULE_METADATA.IMPORTS), ...(dynamic.imports ?? [])];
  return [...controllers.flatMap(routesOfController), ...imports.flatMap((one) => routesOf(one, seen))];
}

function routesOfController(controller: Type): Route[] {
  const handlers = Object.getOwnPropertyNames(controller.prototype).map((name) => controller.prototype[name] as object);
  return handlers
    .filter((handler) => Reflect.hasMetadata(METHOD_METADATA, handler))
    .flatMap((handler) => routesOfHandler(controller, handler));
}

function routesOfHandler(controller: Type, handler: object): Route[] {
  const method = RequestMethod[Reflect.getMetadata(METHOD_METADATA, handler) as RequestMethod];
  const isPublic = Boolean(Reflect.getMetadata(PUBLIC, handler) ?? Reflect.getMetadata(PUBLIC, controller));
  const isIdempotent = Reflect.hasMetadata(IDEMPOTENT, handler);
  return pathsOf(controller).flatMap((base) =>
    pathsOf(handler).map((path) => ({ name: `${method} /${[base, path].map(trimmed).filter(Boolean).join('/')}`, isPublic, isIdempotent })),
  );
}

const pathsOf = (target: object): readonly string[] => [Reflect.getMetadata(PATH_METADATA, target) as string | string[]].flat();
const trimmed = (path: string): string => path.replace(/^\/+|\/+$/g, '');
