/** The codes of S3 and STS with their status and a plain default message. Clients decide by code and status, so they are AWS's own. */
const catalogue = {
  AccessDenied: [403, 'Access Denied'],
  AuthorizationHeaderMalformed: [400, 'The authorization header that you provided is not valid.'],
  AuthorizationQueryParametersError: [400, 'The query parameters of the signature are not valid.'],
  BadDigest: [400, 'The checksum or Content-MD5 that you specified did not match what was received.'],
  EntityTooLarge: [400, 'Your proposed upload exceeds the maximum allowed size.'],
  EntityTooSmall: [400, 'Your proposed upload is smaller than the minimum allowed size.'],
  ExpiredToken: [400, 'The provided token has expired.'],
  IncompleteBody: [400, 'The request body is not complete.'],
  IncompleteSignature: [400, 'The request signature is not complete.'],
  InternalError: [500, 'We encountered an internal error. Please try again.'],
  InvalidAccessKeyId: [403, 'The AWS Access Key Id you provided does not exist in our records.'],
  InvalidAction: [400, 'The action or operation requested is invalid.'],
  InvalidArgument: [400, 'Invalid argument.'],
  InvalidClientTokenId: [403, 'The security token included in the request is invalid.'],
  InvalidDigest: [400, 'The Content-MD5 or checksum value that you specified is not valid.'],
  InvalidPart: [400, 'One or more of the specified parts could not be found or its entity tag does not match.'],
  InvalidPartOrder: [400, 'The list of parts was not in ascending order.'],
  InvalidRange: [416, 'The requested range is not satisfiable.'],
  InvalidRequest: [400, 'The request is not valid.'],
  InvalidToken: [400, 'The provided token is malformed or otherwise invalid.'],
  InvalidURI: [400, "Couldn't parse the specified URI."],
  KeyTooLongError: [400, 'Your key is too long.'],
  MalformedPolicyDocument: [400, 'The policy document is malformed.'],
  MalformedXML: [400, 'The XML you provided was not well-formed or did not validate against our published schema.'],
  MetadataTooLarge: [400, 'Your metadata headers exceed the maximum allowed metadata size.'],
  MethodNotAllowed: [405, 'The specified method is not allowed against this resource.'],
  MissingContentLength: [411, 'You must provide the Content-Length HTTP header.'],
  NoSuchBucket: [404, 'The specified bucket does not exist.'],
  NoSuchKey: [404, 'The specified key does not exist.'],
  NoSuchUpload: [404, 'The specified upload does not exist. It may have been aborted or completed.'],
  NoSuchVersion: [404, 'The specified version does not exist.'],
  NotImplemented: [501, 'This object storage does not implement that.'],
  PackedPolicyTooLarge: [400, 'Packed policy is too large, please use a smaller policy.'],
  PreconditionFailed: [412, 'At least one of the preconditions you specified did not hold.'],
  RequestTimeTooSkewed: [403, 'The difference between the request time and the current time is too large.'],
  SignatureDoesNotMatch: [
    403,
    'The request signature we calculated does not match the signature you provided. Check your key and signing method.',
  ],
  ValidationError: [400, 'The input fails to satisfy the constraints.'],
  XAmzContentSHA256Mismatch: [400, "The provided 'x-amz-content-sha256' header does not match what was computed."],
} as const satisfies Record<string, readonly [number, string]>;

export type ErrorCode = keyof typeof catalogue;

/** More elements of the error document, for example the computed canonical request. */
type Details = Readonly<Record<string, string>>;

/** What a client is told in the error document of S3 or STS. */
export class StorageError extends Error {
  override readonly name = 'StorageError';
  readonly status: number;

  constructor(
    readonly code: ErrorCode,
    message: string = catalogue[code][1],
    readonly details: Details = {},
  ) {
    super(message);
    this.status = catalogue[code][0];
  }
}
