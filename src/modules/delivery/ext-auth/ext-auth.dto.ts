import { IsIn, IsString, IsUUID } from 'class-validator';

export class CreateExternalTokenDto {
  /** The link that the viewer wants to see. @example "b1c5a2f0-6a0e-4b57-9c1e-2f1f6f1f0c11" */
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
