import { isMailAddress } from '../../../../shared/mail/index.js';
import { EMAIL_TEMPLATES } from '../../instructions/email/email-template-names.js';
import { placeholdersIn } from '../../instructions/placeholders.js';
import { among } from './among.js';
import { jsonObject } from './json.js';
import { listOf } from './list-of.js';
import { problem, type Rule } from './rule.js';
import { shape } from './shape.js';
import { text } from './text.js';

const MAX_RECIPIENTS = 50; // more is a newsletter
const MAX_ADDRESS = 320; // RFC 3696 erratum 1690: 64 characters, @, 255 characters
const MAX_SUBJECT = 255;
const MAX_TEXT = 20_000;

/** BCP 47, as far as anybody writes it into a form. */
export const LANGUAGE = /^[A-Za-z]{2,3}(-[A-Za-z\d]{2,8})*$/;

/** What a placeholder becomes is checked when the mail is sent. */
const recipient: Rule = (value, path) => {
  const problems = text({ max: MAX_ADDRESS })(value, path);
  if (problems.length > 0 || isMailAddress(String(value)) || placeholdersIn(value).length > 0) return problems;
  return problem(path, 'is_email', 'must be an e-mail address, or contain a placeholder (:user.email)');
};

/** Who gets it, and in which language. */
export const recipientRule = shape({
  required: { recipient },
  optional: { language: text({ max: 35, pattern: LANGUAGE, described: 'a language such as en or de-AT' }) },
});

const members = shape({
  required: { type: among(['email']), to: listOf(recipientRule, { max: MAX_RECIPIENTS }) },
  optional: {
    template: among(EMAIL_TEMPLATES),
    parameters: jsonObject,
    subject: text({ min: 1, max: MAX_SUBJECT, pattern: /^\P{Cc}*$/u, described: 'one line' }),
    text: text({ min: 1, max: MAX_TEXT }),
  },
});

/** An e-mail: a template, or subject and text. */
export const emailInstructionRule: Rule = (value, path) => [...members(value, path), ...checkContent(value as Content, path)];

interface Content {
  readonly template?: unknown;
  readonly parameters?: unknown;
  readonly subject?: unknown;
  readonly text?: unknown;
}

const is = (value: unknown): boolean => value !== undefined && value !== null;

function checkContent(content: Content, path: string) {
  const own = (['subject', 'text'] as const).filter((name) => is(content[name]));
  if (is(content.template)) {
    return own.flatMap((name) => problem(`${path}.${name}`, 'template_or_text', 'must not stand beside a template'));
  }
  if (own.length === 0) return problem(path, 'template_or_text', 'must have a template, or a subject and a text');
  const missing = (['subject', 'text'] as const).filter((name) => !is(content[name]));
  return [
    ...missing.flatMap((name) => problem(`${path}.${name}`, 'template_or_text', 'must be there when there is no template')),
    ...(is(content.parameters) ? problem(`${path}.parameters`, 'template_or_text', 'are for a template only') : []),
  ];
}
