// Checks the types of projects as `tsc --noEmit -p PROJECT` does, and in the same pass that no promise is left alone: a rejection for which no code
// waits ends the process. The rule of Biome does not know the types of Node.js and of packages; ESLint would check all types a second time.
import path from 'node:path';
import ts from 'typescript';

const root = path.resolve(import.meta.dirname, '..');

/** Why a node leaves a promise alone; null: it does not. */
function findFault(node, checker) {
  if (ts.isExpressionStatement(node)) {
    const { expression } = node;
    if (isHandled(expression)) return null;
    const type = checker.getTypeAtLocation(expression);
    const element = checker.isArrayType(type) ? checker.getTypeArguments(type)[0] : undefined;
    return isPromise(type, checker) || (element && isPromise(element, checker)) ? 'This promise is neither awaited nor caught.' : null;
  }
  if (ts.isCallExpression(node)) return node.arguments.some((given, at) => dropsPromise(node, given, at, checker)) ? DROPPED : null;
  return null;
}

const DROPPED = 'The callee ignores the promise of this function: catch its rejection inside.';

/** Assignments keep the promise; `void` says that it never rejects; `catch` and `then` with two functions handle it. */
function isHandled(expression) {
  if (ts.isParenthesizedExpression(expression)) return isHandled(expression.expression);
  if (ts.isVoidExpression(expression) || ts.isAwaitExpression(expression)) return true;
  if (ts.isBinaryExpression(expression) && expression.operatorToken.kind >= ts.SyntaxKind.FirstAssignment)
    return expression.operatorToken.kind <= ts.SyntaxKind.LastAssignment;
  if (!ts.isCallExpression(expression) || !ts.isPropertyAccessExpression(expression.expression)) return false;
  const { name, expression: before } = expression.expression;
  if (name.text === 'catch') return expression.arguments.length === 1;
  if (name.text === 'then') return expression.arguments.length === 2;
  return name.text === 'finally' && isHandled(before);
}

function isPromise(type, checker) {
  if (type.isUnion()) return type.types.some((one) => isPromise(one, checker));
  const { symbol } = type;
  if (symbol?.name === 'Promise') return true;
  return (checker.getBaseTypes && type.isClassOrInterface() ? checker.getBaseTypes(type) : []).some((base) => isPromise(base, checker));
}

/** Whether an asynchronous function is given where the callee expects a function without a result. */
function dropsPromise(call, given, at, checker) {
  if (!ts.isArrowFunction(given) && !ts.isFunctionExpression(given)) return false;
  if (!given.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.AsyncKeyword)) return false;
  const parameter = checker.getResolvedSignature(call)?.parameters[at];
  if (!parameter) return false;
  const signatures = checker.getTypeOfSymbolAtLocation(parameter, call).getCallSignatures();
  return signatures.length > 0 && signatures.every((one) => one.getReturnType().flags & ts.TypeFlags.Void);
}

const report = (diagnostics) => {
  if (diagnostics.length === 0) return;
  const format = { getCurrentDirectory: () => root, getCanonicalFileName: (name) => name, getNewLine: () => '\n' };
  process.stdout.write(ts.formatDiagnostics(diagnostics, format));
  process.exitCode = 1;
};

/** Reports the errors of a project: the path of its configuration, or of a folder with a tsconfig.json. */
function checkProject(name) {
  const file = name.endsWith('.json') ? name : path.join(name, 'tsconfig.json');
  const host = { ...ts.sys, onUnRecoverableConfigFileDiagnostic: (diagnostic) => report([diagnostic]) };
  const { fileNames, options, errors } = ts.getParsedCommandLineOfConfigFile(path.join(root, file), { noEmit: true }, host);
  const program = ts.createProgram(fileNames, options);
  report([...errors, ...ts.getPreEmitDiagnostics(program)]);
  const checker = program.getTypeChecker();
  for (const source of program.getSourceFiles()) {
    if (!program.isSourceFileFromExternalLibrary(source) && !source.isDeclarationFile) reportFaults(source, checker);
  }
}

function reportFaults(source, checker) {
  const visit = (node) => {
    const fault = findFault(node, checker);
    if (fault) {
      const { line, character } = source.getLineAndCharacterOfPosition(node.getStart(source));
      console.log(`${path.relative(root, source.fileName)}(${line + 1},${character + 1}): ${fault}`);
      process.exitCode = 1;
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
}

for (const name of process.argv.slice(2)) checkProject(name);
