import type { FieldProblem } from '../../../shared/errors/index.js';
import type { PlayerConfiguration } from '../player-configuration.entity.js';
import { isTemplateOfType, TEMPLATE_MESSAGE } from './template-of-type.js';

/** What of a change does not fit to the type, which never changes. */
export function findContradictions(
  { type }: Pick<PlayerConfiguration, 'type'>,
  sent: { readonly type?: unknown; readonly templateId?: number },
): FieldProblem[] {
  const problems: FieldProblem[] = [];
  if (sent.type !== undefined && sent.type !== null && sent.type !== type) {
    problems.push({ path: 'type', code: 'type_unchangeable', message: `the type stays ${type}` });
  }
  if (sent.templateId !== undefined && !isTemplateOfType(sent.templateId, type)) {
    problems.push({ path: 'templateId', code: 'is_template_of_type', message: TEMPLATE_MESSAGE });
  }
  return problems;
}
