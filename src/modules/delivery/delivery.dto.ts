import { ApiParam, ApiQuery, ApiResponse, type ApiResponseOptions } from '@nestjs/swagger';
import { IsIn, IsOptional, IsString, IsUUID, MaxLength } from 'class-validator';
import { CastInteger, OptionalFlag } from '../../shared/http/index.js';
import { IsId } from '../../shared/validation/index.js';

export class DeliveredLinkDto {
  /** The embed link. @example "b1c5a2f0-6a0e-4b57-9c1e-2f1f6f1f0c11" */
  @MaxLength(100)
  @IsString()
  link: string;
}

export class DeliveredMediaDto extends DeliveredLinkDto {
  /** The media item of the rendition or track. @example 1 */
  @CastInteger()
  @IsId()
  mediaId: number;
}

export class DeliverFileDto extends DeliveredLinkDto {
  /** The format; default: the first format of the player configuration that players use. @example 3 */
  @IsOptional()
  @CastInteger()
  @IsId()
  formatId?: number;

  /** Whether the file is downloaded instead of shown; only if the format is downloadable. @example false */
  @OptionalFlag()
  download?: boolean;
}

const LINK = ApiParam({ name: 'link', type: 'string', format: 'uuid', example: 'b1c5a2f0-6a0e-4b57-9c1e-2f1f6f1f0c11' });
/** Documents the token of a viewer whom another server has authenticated. */
export const ApiViewerToken = ApiQuery({
  ...{ name: 'auth', required: false, type: 'string' },
  description: 'base64(`<anything>:<token>`), the token of POST /v5/extAuth. Addresses in playlists carry what their viewer needs.',
});
const ADMISSION = ApiQuery({
  ...{ name: 'admission', required: false, type: 'string' },
  description: 'The admission that a player page adds to its own requests.',
});

const PLAY = ApiQuery({
  ...{ name: 'play', required: false, type: 'string' },
  description:
    'The play to which statistics count the request. Addresses of player pages and playlists contain it; leave it out elsewhere.',
});

/** Documents the parameters of requests for a link: the tokens that admit the viewer, and the play to which the request belongs. */
export const ApiGate = (): MethodDecorator => (target, key, descriptor) => {
  for (const document of [ADMISSION, ApiViewerToken, LINK, PLAY]) document(target, key, descriptor);
};

/** A response with a file of any media type. */
export const ANY_FILE: ApiResponseOptions['content'] = { '*/*': { schema: { type: 'string', format: 'binary' } } };

/** Documents a redirect to a stored file. */
export const ApiRedirectToFile = (validity = 'for some minutes') =>
  ApiResponse({
    status: 302,
    description: `The file is at \`Location\` ${validity}. The response to HEAD has no \`Location\`.`,
    headers: { Location: { required: true, schema: { type: 'string', format: 'uri' } } },
  });

export class CreateExternalTokenDto {
  /** The link that the viewer may see. @example "b1c5a2f0-6a0e-4b57-9c1e-2f1f6f1f0c11" */
  @IsUUID()
  @IsString()
  identifier: string;

  /** The kind of the identifier: `embedlink`. @example "embedlink" */
  @IsIn(['embedlink'])
  type: 'embedlink';
}

/** A token with which one viewer may see one link. */
export class ExternalTokenResponse {
  /** Send it as `?auth=` base64(`<anything>:<token>`), or as a bearer token. @example "1893456000.a2V5LTE.bWFj…" */
  token: string;
  /** Seconds until it expires. @example 14400 */
  expires_in: number;
}
