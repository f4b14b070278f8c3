/** The registered client applications, as far as the kernel and modules that the oauth module imports need them. */
export abstract class ClientDirectory {
  abstract exists(clientId: string): Promise<boolean>;
  /** Whether one of a client's redirect URIs has this origin. */
  abstract isRegisteredOrigin(origin: string): Promise<boolean>;
}
