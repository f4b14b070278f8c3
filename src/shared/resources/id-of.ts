import { CastInteger } from '../http/index.js';
import { IsId } from '../validation/index.js';

/** How OpenAPI describes an id. */
interface Description {
  readonly example: number;
  readonly description?: string;
}

/**
 * What Nest's compiler plugin would write into the class: it reads comments, which cannot contain what a parameter of a function says.
 * `@ApiProperty` would move the id before the members of the class that extends this one.
 */
const describedBy = (description: Description) => () => ({ id: { required: true, type: () => Number, ...description } });

/** The input class with the id of a resource: `class ClientIdDto extends IdOf({ example: 3 }) {}`. */
export function IdOf(description: Description) {
  class IdDto {
    static readonly _OPENAPI_METADATA_FACTORY = describedBy(description);

    @CastInteger()
    @IsId()
    id: number;
  }
  return IdDto;
}

/** The response class of a deletion. */
export function DeletedOf({ example }: Pick<Description, 'example'>) {
  class DeletedResponse {
    static readonly _OPENAPI_METADATA_FACTORY = describedBy({ example });

    id: number;
  }
  return DeletedResponse;
}
