import { getMetadataStorage, type ValidationError } from 'class-validator';
import { type DomainError, type FieldProblem, generalErrors } from '../errors.js';
import { finderOf, typeOfRule, type ValueType, valueTypes } from './value-types.js';

/** More are not read, and cost time and bytes. */
const MAX_PROBLEMS = 100;

/** The refusal of an input with every problem of it up to a hundred, the first of each field, and the number of those beyond. */
export function invalidInput(...problems: readonly FieldProblem[]): DomainError {
  const byPath = new Map<string, FieldProblem>();
  for (const problem of problems) if (!byPath.has(problem.path)) byPath.set(problem.path, problem);
  const errors = [...byPath.values()].slice(0, MAX_PROBLEMS);
  const beyond = byPath.size - errors.length;
  if (beyond > 0) errors.push({ path: '', code: 'too_many_problems', message: `${beyond} more problems are not listed` });
  const detail = errors.map(sentenceOf).join('; ');
  return generalErrors.validation_failed(`The input is not valid. ${detail}.`, { errors });
}

/** The message with its path, unless it begins with that: "url is required", but "formats.0.formatId: formatId is required". */
const sentenceOf = ({ path, message }: FieldProblem): string =>
  path === '' || message.startsWith(`${path} `) ? message : `${path}: ${message}`;

/** Throws it when there are problems. */
export function refuseInvalid(problems: readonly FieldProblem[]): void {
  if (problems.length > 0) throw invalidInput(...problems);
}

type Rule = ReturnType<ReturnType<typeof getMetadataStorage>['getTargetValidationMetadatas']>[number];

/** A field of which at least one rule is broken. */
interface BrokenField {
  readonly path: string;
  readonly property: string;
  readonly value: unknown;
  readonly target: object;
  /** In the order in which they are asked. */
  readonly rules: readonly Rule[];
  /** Messages by the names of the rules that are broken. */
  readonly broken: Readonly<Record<string, string>>;
}

/**
 * The problems of an input as they are answered, each with its path in dots: one for each field, or one for each element where a rule is
 * about elements. What is missing is `required`, what is of another type is `type`; other rules are asked after that only.
 */
export function fieldProblems(errors: readonly ValidationError[], prefix = ''): FieldProblem[] {
  return errors.flatMap(({ property, value, target = {}, constraints, children = [] }) => {
    const path = prefix === '' ? property : `${prefix}.${property}`;
    if (!constraints) return fieldProblems(children, path);
    if (Array.isArray(target)) return [typeProblem(path, path.split('.').slice(-2).join('.'), 'object')]; // an element, as `formats.0`
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

/** Whether the rules of the field would be asked if it were absent. */
function isRequired({ rules, target, property }: BrokenField): boolean {
  const conditions = rules.filter(({ type }) => type === 'conditionalValidation');
  return conditions.every(({ constraints }) => {
    const [appliesTo] = constraints as readonly ((object: object, value: unknown) => boolean)[];
    return appliesTo?.({ ...target, [property]: undefined }, undefined) ?? true;
  });
}

const rulesOfClasses = new WeakMap<object, Map<string, readonly Rule[]>>();

/** Those of a class and of the classes that it extends. Collected once: a list of bad elements asks for them a thousand times. */
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
  return types.find((type) => type === 'integer') ?? types.find((type) => type !== null) ?? null; // rather than the number of its limits
}

const nameOf = (rule: Rule): string => constraintsOf(rule)[0]?.name ?? rule.type;

/** A condition and a nested object have none. */
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
