declare module 'ac-signature' {
  interface SignedParts {
    readonly hash: string;
    readonly ts: number;
  }
  const acSignature: {
    sign5(params: {
      path: string;
      payload?: object;
      ts?: number;
      accessKey: string;
      accessSecret: string;
      identifier?: string;
    }): SignedParts;
  };
  export default acSignature;
}
