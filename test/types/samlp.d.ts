declare module 'samlp' {
  interface AuthnRequest {
    readonly id: string;
    readonly issuer: string;
    readonly destination: string;
    readonly assertionConsumerServiceURL: string;
    readonly forceAuthn?: string;
  }
  type Callback<T> = (error: Error | null, value: T) => void;
  const samlp: {
    parseRequest(
      request: { method: string; query: Record<string, string> },
      options: { signingCert: string },
      callback: Callback<AuthnRequest>,
    ): void;
    getSamlResponse(options: Record<string, unknown>, user: object, callback: Callback<string>): void;
  };
  export default samlp;
}
