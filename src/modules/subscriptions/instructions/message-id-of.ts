/**
 * The id of what one instruction sends for one event, the same over all tries (Standard Webhooks: `webhook-id`). Each instruction of a run
 * has its own, so that a receiver which gets two of them does not take the second for a repetition.
 */
export function messageIdOf(runMessageId: string, instruction: number): string {
  const id = `msg_${runMessageId.replaceAll('-', '')}`;
  return instruction === 0 ? id : `${id}_${instruction + 1}`;
}
