import { ApiExtension, ApiExtraModels } from '@nestjs/swagger';

/** Extension of operations that `@IdInBody()` marks, until the OpenAPI document is complete (src/openapi). */
export const ID_IN_BODY = 'x-id-in-body';

/**
 * Belongs to an operation with two paths, `@Put([':id', '/'])`: clients of earlier versions send the id in the body. OpenAPI describes the path
 * without the id as an operation of its own with this summary.
 */
export const IdInBody =
  (summary: string): MethodDecorator =>
  (target, handler, descriptor) => {
    ApiExtension(ID_IN_BODY, summary)(target, handler, descriptor);
    // As two operations would do: @nestjs/swagger writes the keywords of a model that is named twice in another order.
    const models = (Reflect.getMetadata('swagger/apiExtraModels', descriptor.value as object) ?? []) as Parameters<typeof ApiExtraModels>;
    ApiExtraModels(...models)(target, handler, descriptor);
  };
