/** It cannot or must not be made; the message is a sentence for a person. `buildInvocation` turns it into its answer. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
}
