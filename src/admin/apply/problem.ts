/** What is wrong with a provisioning file, and where: `path` in dots (`clients.0.redirectUris.1`). */
export interface Problem {
  readonly path: string;
  readonly message: string;
}
