import { isMailAddress } from '../../../../shared/email-address.js';
import { MAIL_REASONS } from '../../../../shared/mail/index.js';
import type { InstructionKind } from '../instruction.js';
import { followedBy, jsonObject, listOf, oneOf, pickMembers, problem, ruleWith, shape, text } from '../json-rules.js';
import { placeholdersIn } from '../placeholders.js';
import { replaceInMembers } from '../secret-values.js';
import { EmailInstructionDto } from './email-instruction.dto.js';
import { EmailInstructionService } from './email-instruction.service.js';
import { EMAIL_TEMPLATES } from './email-templates.js';

const MAX_RECIPIENTS = 50; // more recipients would be a newsletter
const MAX_ADDRESS = 320; // RFC 3696 erratum 1690: 64 characters, @, 255 characters
const MAX_SUBJECT = 255;
const MAX_TEXT = 20_000;

/** Matches the commonly used part of BCP 47. */
const LANGUAGE = /^[A-Za-z]{2,3}(-[A-Za-z\d]{2,8})*$/;

const addressText = text({ max: MAX_ADDRESS });

/** Checks an address; a placeholder is checked when its value is known, at the time of sending. */
const addressRule = ruleWith(addressText.limits, (value, path) => {
  const problems = addressText(value, path);
  if (problems.length > 0 || isMailAddress(String(value)) || placeholdersIn(value).length > 0) return problems;
  return problem(path, 'is_email', 'must be an e-mail address, or contain a placeholder (:user.email)');
});

/** A recipient and their language. */
export const recipientRule = shape({
  required: { recipient: addressRule },
  optional: { language: text({ max: 35, pattern: LANGUAGE, described: 'a language such as en or de-AT' }) },
});

const members = shape({
  required: { type: oneOf(['email']), to: listOf(recipientRule, { max: MAX_RECIPIENTS }) },
  optional: {
    template: oneOf(EMAIL_TEMPLATES),
    parameters: jsonObject,
    subject: text({ min: 1, max: MAX_SUBJECT, pattern: /^\P{Cc}*$/u, described: 'one line' }),
    text: text({ min: 1, max: MAX_TEXT }),
  },
});

/** An e-mail: a template, or a subject and a text. */
export const emailInstruction: InstructionKind<EmailInstructionDto> = {
  type: 'email',
  dto: EmailInstructionDto,
  runner: EmailInstructionService,
  reasons: [...MAIL_REASONS, 'template'],
  hasPayload: false,
  rule: () => followedBy(members, (value, path) => checkContent(value as Content, path)),
  normalize: (sent) => ({
    ...pickMembers(sent, ['type', 'to', 'template', 'parameters', 'subject', 'text']),
    to: sent.to.map((one) => pickMembers(one, ['recipient', 'language'])),
  }),
  targetOf: () => 'email',
  replaceSecrets: (instruction, replace) => ({
    ...instruction,
    ...(instruction.parameters && {
      parameters: replaceInMembers(instruction.parameters, 'parameters', replace) as Record<string, unknown>,
    }),
  }),
  destinationOf: ({ to }) => JSON.stringify(to.map(({ recipient }) => recipient)),
  contentOf: ({ parameters }) => parameters,
};

interface Content {
  readonly template?: unknown;
  readonly parameters?: unknown;
  readonly subject?: unknown;
  readonly text?: unknown;
}

const isGiven = (value: unknown): boolean => value !== undefined && value !== null;

function checkContent(content: Content, path: string) {
  const own = (['subject', 'text'] as const).filter((name) => isGiven(content[name]));
  if (isGiven(content.template)) {
    return own.flatMap((name) => problem(`${path}.${name}`, 'template_or_text', 'must not be combined with a template'));
  }
  if (own.length === 0) return problem(path, 'template_or_text', 'must have a template, or a subject and a text');
  const missing = (['subject', 'text'] as const).filter((name) => !isGiven(content[name]));
  return [
    ...missing.flatMap((name) => problem(`${path}.${name}`, 'template_or_text', 'is required without a template')),
    ...(isGiven(content.parameters) ? problem(`${path}.parameters`, 'template_or_text', 'is allowed only with a template') : []),
  ];
}
