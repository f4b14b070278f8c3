import { getMetadataStorage, type ValidationError } from 'class-validator';
import { type DomainError, type FieldProblem, generalErrors } from '../errors.js';
import { finderOf, typeOfRule, type ValueType, valueTypes } from './value-types.js';

/** More problems would not be read, and would cost time and bytes. */
const MAX_PROBLEMS = 100;

/** The error for an invalid input, with the first problem of each field, up to a hundred, and the number of the remaining ones. */
export function invalidInput(...problems: readonly FieldProblem[]): DomainError {
  const byPath = new Map<string, FieldProblem>();
  for (const problem of problems) if (!byPath.has(problem.path)) byPath.set(problem.path, problem);
  const errors = [...byPath.values()].slice(0, MAX_PROBLEMS);
  const beyond = byPath.size - errors.length;
  if (beyond > 0) errors.push({ path: '', code: 'too_many_problems', message: `${beyond} more problems are not listed` });
  const detail = errors.map(sentenceOf).join('; ');
  return generalErrors.validation_failed(`The input is not valid. ${detail.replace(/\.$/, '')}.`, { errors });
}

/** The message with its path, unless it begins with it: "url is required", but "formats.0.formatId: formatId is required". */
const sentenceOf = ({ path, message }: FieldProblem): string =>
  path === '' || message.startsWith(`${path} `) ? message : `${path}: ${message}`;

/** Throws a validation error if there are problems. */
export function refuseInvalid(problems: readonly FieldProblem[]): void {
  if (problems.length > 0) throw invalidInput(...problems);
}

type Rule = ReturnType<ReturnType<typeof getMetadataStorage>['getTargetValidationMetadatas']>[number];

/** A field that violates at least one rule. */
interface BrokenField {
  readonly path: string;
  readonly property: string;
  readonly value: unknown;
  readonly target: object;
  /** In the order in which they are checked. */
  readonly rules: readonly Rule[];
  /** Messages by the names of the violated rules. */
  readonly broken: Readonly<Record<string, string>>;
}

/**
 * Converts validation errors to the problems in the response, each with its path in dots: one per field, or one per element if a rule
 * applies to elements. A missing value is `required`, a value of another type is `type`; other rules are reported only if neither applies.
 */
export function fieldProblems(errors: readonly ValidationError[], prefix = ''): FieldProblem[] {
  return errors.flatMap(({ property, value, target = {}, constraints, children = [] }) => {
    const path = prefix === '' ? property : `${prefix}.${property}`;
    if (!constraints) return fieldProblems(children, path);
    if (Array.isArray(target)) return [typeProblem(path, path.split('.').slice(-2).join('.'), 'object')]; // an element, such as `formats.0`
    return ofField({ path, property, value, target, rules: rulesOf(target, property), broken: constraints });
  });
}

function ofField(field: BrokenField): FieldProblem[] {
  const { path, property, value, rules, broken } = field;
  if ((value === undefined || value === null) && isRequired(field)) {
    return [{ path, code: 'required', message: `${property} is required` }];
  }
  const ofWhole = rules.filter(({ each }) => !each);
  const type = typeOf(ofWhole);
  if (type && !valueTypes[type].accepts(value)) return [typeProblem(path, property, type)];
  const rule = ofWhole.find((one) => broken[nameOf(one)] !== undefined);
  const find = finderOf(rule?.context);
  if (find) return find(value).map((problem) => ({ ...problem, path: problem.path === '' ? path : `${path}.${problem.path}` }));
  if (rule) return [ruleProblem(path, nameOf(rule), broken)];
  return Array.isArray(value) ? value.flatMap((element: unknown, index) => ofElement(field, element, index)) : [];
}

function ofElement({ path, property, rules, broken, target }: BrokenField, element: unknown, index: number): FieldProblem[] {
  const ofEach = rules.filter(({ each }) => each);
  const type = typeOf(ofEach);
  if (type && !valueTypes[type].accepts(element)) return [typeProblem(`${path}.${index}`, `${property}.${index}`, type)];
  const rule = ofEach.find((one) => !isFollowed(one, element, target));
  return rule ? [ruleProblem(`${path}.${index}`, nameOf(rule), broken)] : [];
}

function isFollowed(rule: Rule, value: unknown, object: object): boolean {
  const question = { value, object, property: rule.propertyName, constraints: rule.constraints, targetName: object.constructor.name };
  return constraintsOf(rule).every(({ instance }) => instance.validate(value, question) === true);
}

/** Whether the rules of the field also apply when it is absent. */
function isRequired({ rules, target, property }: BrokenField): boolean {
  const conditions = rules.filter(({ type }) => type === 'conditionalValidation');
  return conditions.every(({ constraints }) => {
    const [appliesTo] = constraints as readonly ((object: object, value: unknown) => boolean)[];
    return appliesTo?.({ ...target, [property]: undefined }, undefined) ?? true;
  });
}

const rulesOfClasses = new WeakMap<object, Map<string, readonly Rule[]>>();

/** The rules of a class and its superclasses. Cached, because a list of invalid elements requests them thousands of times. */
function rulesOf({ constructor: type }: object, property: string): readonly Rule[] {
  const ofClass = rulesOfClasses.get(type) ?? collectRules(type);
  rulesOfClasses.set(type, ofClass);
  return ofClass.get(property) ?? [];
}

function collectRules(type: typeof Object.prototype.constructor): Map<string, readonly Rule[]> {
  const collected = new Map<string, Rule[]>();
  for (const rule of getMetadataStorage().getTargetValidationMetadatas(type, '', false, false)) {
    collected.set(rule.propertyName, [...(collected.get(rule.propertyName) ?? []), rule]);
  }
  return collected;
}

function typeOf(rules: readonly Rule[]): ValueType | null {
  const types = rules.map((rule) => typeOfRule({ name: nameOf(rule), constraints: rule.constraints, context: rule.context as unknown }));
  return types.find((type) => type === 'integer') ?? types.find((type) => type !== null) ?? null; // integer before the number of its limits
}

const nameOf = (rule: Rule): string => constraintsOf(rule)[0]?.name ?? rule.type;

/** The constraints of a rule; conditions and nested objects have none. */
const constraintsOf = ({ constraintCls }: Rule) =>
  (constraintCls as unknown) === undefined ? [] : getMetadataStorage().getTargetValidatorConstraints(constraintCls);

const typeProblem = (path: string, property: string, type: ValueType): FieldProblem => ({
  path,
  code: 'type',
  message: `${property} ${valueTypes[type].words}`,
});

const ruleProblem = (path: string, name: string, broken: BrokenField['broken']): FieldProblem => ({
  path,
  code: name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
  message: broken[name] ?? `${name} is broken`,
});
