import { ApiProperty } from '@nestjs/swagger';
import { IsBoolean, IsIn, IsNotEmpty, IsOptional, IsString, Matches, MaxLength } from 'class-validator';
import { CastBoolean } from '../../../shared/http/index.js';

/** A request for a code for an application that the signed-in user has authorized before. */
export class RequestCodeDto {
  /** Client application. @example "demo" */
  @IsString()
  @IsNotEmpty()
  @MaxLength(256)
  client_id: string;

  /** Anti-CSRF value; returned here and with the token. @example "af0ifjsldkj" */
  @IsString()
  @IsNotEmpty()
  @MaxLength(4_096)
  state: string;

  /** Device identifier. @example "b7f1c0de" */
  @IsOptional()
  @IsString()
  @MaxLength(512)
  device?: string;

  /** Whether the flow runs inside an iframe. @example false */
  @IsOptional()
  @CastBoolean()
  @IsBoolean()
  iframe?: boolean;

  /** One of the client's registered redirect URIs. @example "http://localhost:8080/callback" */
  @IsOptional()
  @IsString()
  @MaxLength(2_048)
  redirect_uri?: string;

  /** PKCE challenge (RFC 7636). @example "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM" */
  @IsOptional()
  @Matches(/^[A-Za-z0-9_~.-]{43,128}$/, { message: 'code_challenge must be 43 to 128 characters of base64url' })
  code_challenge?: string;

  /** PKCE method. @example "S256" */
  @IsOptional()
  @IsIn(['S256'])
  code_challenge_method?: string;

  /** Scopes, separated by spaces; default api. @example "api" */
  @IsOptional()
  @IsString()
  @MaxLength(1_024)
  scope?: string;

  /** Audience of the token. @example "https://media.example.org" */
  @IsOptional()
  @IsString()
  @MaxLength(2_048)
  resource?: string;
}

export class RequestCodeResponse {
  /** Single-use authorization code, to be exchanged at POST /v4/token. */
  code: string;
  /** The value that was sent. @example "af0ifjsldkj" */
  state: string;
  /** Seconds until the code expires. @example 60 */
  @ApiProperty({ name: 'expires_in' })
  expires_in: number;
}
