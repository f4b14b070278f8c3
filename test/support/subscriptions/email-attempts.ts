import type { EmailInstructionDto, RecipientDto } from '../../../src/modules/subscriptions/instructions/email/email-instruction.dto.js';
import type { Attempt } from '../../../src/modules/subscriptions/instructions/instruction.js';

type GivenInstruction = Omit<EmailInstructionDto, 'type' | 'template' | 'to'> & {
  readonly template?: string;
  readonly to: readonly RecipientDto[];
};

interface Given {
  readonly payload?: Readonly<Record<string, unknown>>;
  readonly values?: Readonly<Record<string, unknown>>;
  readonly attempt?: number;
}

/** A try of an e-mail instruction for an event with this payload. */
export const anAttempt = (
  instruction: GivenInstruction,
  { payload = {}, values = payload, attempt = 1 }: Given = {},
): Attempt<EmailInstructionDto> => ({
  instruction: { type: 'email', ...instruction } as EmailInstructionDto,
  messageId: 'msg_1',
  attempt,
  event: { id: 1, name: 'event:s3success', customerId: 1, method: 'create', payload, createdAt: '2026-02-03T14:05:00.000Z', depth: 0 },
  subscription: { id: 1, customerId: 1, lastEditorId: 1, signingSecret: 'whsec_test' },
  values,
});
