/** One rule of a policy: patterns of actions on patterns of resources. */
export interface Statement {
  readonly effect: 'Allow' | 'Deny';
  readonly actions: readonly string[];
  readonly resources: readonly string[];
}

export type Policy = readonly Statement[];
