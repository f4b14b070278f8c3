import type { ArgumentReason, Invocation, Step } from './converter.js';
import type { ExplainedParameter } from './merge-parameters.js';
import { FILTER_REASONS, PROGRAMS, SHARP_PARAMETERS, SHARP_REASONS } from './program-reasons.js';

/** A filter, or a member of a job of sharp, and why it is there. */
export interface ExplainedPart {
  readonly part: string;
  readonly reason: string;
}

/** An option with its values, or a file, and why it is there. */
export interface ExplainedArgument {
  /** As they are passed, without a shell; empty: they follow from a file that an earlier step writes. */
  readonly arguments: readonly string[];
  readonly reason: string;
  /** What the last argument consists of; empty: it has no parts. */
  readonly parts: readonly ExplainedPart[];
}

/** A run of a program. */
export interface ExplainedStep {
  /** `cli:<name>` for a tool of the operator, whose arguments are not shown. */
  readonly program: string;
  readonly reason: string;
  /** How often it runs, each time for another part of the source. */
  readonly times: number;
  readonly arguments: readonly ExplainedArgument[];
}

/** Everything by which the arguments of an invocation are explained. */
interface Reasons {
  /** Those that depend on the source. */
  readonly planned: readonly ArgumentReason[];
  readonly parameters: readonly ExplainedParameter[];
}

type Run = Extract<Invocation, { kind: 'run' }>;

/** Explains each argument of an invocation. The arguments are exactly those that are run; of runs for equal parts of a source the first is shown. */
export function explainSteps({ steps, reasons: planned = [] }: Run, parameters: readonly ExplainedParameter[]): readonly ExplainedStep[] {
  const explained = steps.map((step) => explainStep(step, { planned, parameters: parameters.filter(({ used }) => used) }));
  const shapes = explained.map(shapeOf);
  return explained.flatMap((step, index) => {
    if (index > 0 && shapes[index] === shapes[index - 1]) return [];
    const end = shapes.findIndex((shape, at) => at > index && shape !== shapes[index]);
    return [{ ...step, times: (end === -1 ? shapes.length : end) - index }];
  });
}

/** The options of a step without their values. The pictures of a storyboard are made by steps of the same shape. */
const shapeOf = ({ program, arguments: groups }: ExplainedStep, index: number): string =>
  program === 'ffmpeg' ? groups.map((group) => group.arguments[0]?.replace(/(?<!\d)\d+$/, '')).join(' ') : String(index);

function explainStep(step: Step, reasons: Reasons): ExplainedStep {
  const { program, reason } = step;
  if (typeof program !== 'string') {
    return { program: `cli:${program.tool}`, reason: 'the tool of the operator that the format names', times: 1, arguments: [] };
  }
  const groups = program === 'sharp' ? [step.argv] : groupArguments(program, step.argv);
  const written = step.leading
    ? [{ arguments: [], reason: `follows from ${step.leading.file}, which an earlier step writes`, parts: [] }]
    : [];
  return {
    ...{ program, reason: reason ?? PROGRAMS[program].reason, times: 1 },
    arguments: [...written, ...groups.map((group) => explainArgument(program, group, reasons))],
  };
}

/** Divides arguments into options with their values, and files. */
function groupArguments(program: Exclude<Step['program'], object>, argv: readonly string[]): readonly (readonly string[])[] {
  const { values, otherwise } = PROGRAMS[program];
  const groups: (readonly string[])[] = [];
  for (let at = 0; at < argv.length; ) {
    const argument = argv[at] ?? '';
    const count = 1 + (/^[-+]/.test(argument) ? (values[argument] ?? otherwise) : 0);
    groups.push(argv.slice(at, at + count));
    at += count;
  }
  return groups;
}

function explainArgument(program: Exclude<Step['program'], object>, group: readonly string[], reasons: Reasons): ExplainedArgument {
  const parts = program === 'sharp' ? explainJob(group[1] ?? '{}', reasons) : explainFilters(group, reasons);
  return { arguments: group, reason: reasonFor(program, group, reasons), parts };
}

/** The most specific reason: that of this source, that of a parameter of the format, that of the option. */
function reasonFor(program: Exclude<Step['program'], object>, group: readonly string[], { planned, parameters }: Reasons): string {
  const [option = '', value] = group;
  const text = group.join(' ');
  const ofSource = planned.find(({ argument }) => argument === text || `${argument}?` === text);
  if (ofSource) return ofSource.reason;
  const parameter = parameters.find(
    ({ command, value: wanted }) => option === `-${command}` && (value === undefined || value.startsWith(String(wanted))),
  );
  if (parameter) return asReason(parameter);
  const { reasons, file } = PROGRAMS[program];
  return reasons[text] ?? reasons[option] ?? file;
}

const GRAPHS = new Set(['-vf', '-af', '-filter_complex']);
/** A label, or a filter (group 1), in which `\` escapes the next character. */
const GRAPH_PARTS = /\[[^[\]]*\]|((?:\\.|[^\\,;[\]])+)/g;

function explainFilters([option = '', graph = '']: readonly string[], { planned }: Reasons): readonly ExplainedPart[] {
  if (!GRAPHS.has(option)) return [];
  const filters = [...graph.matchAll(GRAPH_PARTS)].flatMap(([, filter]) => filter ?? []);
  return filters.map((part) => {
    const reason = planned.find(({ argument }) => argument === part)?.reason;
    return { part, reason: reason ?? FILTER_REASONS[/^\w+/.exec(part)?.[0] ?? ''] ?? '' };
  });
}

const asReason = ({ command, reason }: ExplainedParameter): string => `parameter ${command}: ${reason}`;

function explainJob(json: string, { parameters }: Reasons): readonly ExplainedPart[] {
  return Object.entries(JSON.parse(json) as object).map(([name, value]) => {
    const decisive = parameters.filter(({ command }) => SHARP_PARAMETERS[name]?.includes(command));
    const reason = decisive.length > 0 ? decisive.map(asReason).join('; ') : (SHARP_REASONS[name] ?? '');
    return { part: `${name} ${JSON.stringify(value)}`, reason };
  });
}
