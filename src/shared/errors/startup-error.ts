/** The service cannot start; `message` is one line for the operator that says what to do. Printed without a stack. */
export class StartupError extends Error {
  override readonly name = 'StartupError';
}
