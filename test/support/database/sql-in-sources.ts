import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';

const src = path.resolve(import.meta.dirname, '../../../src');

/** What a source file below src has to do with tables; specs are left out. */
export interface Source {
  /** For example `modules/media/media-items.repository.ts`. */
  readonly file: string;
  /** For example `modules/media` or `shared/jobs`; of other files the first folder, `admin`. */
  readonly module: string;
  /** Its statements, and parts of statements that name tables; a blank in place of each `${…}`. */
  readonly sql: readonly string[];
  /** How often it sends a statement: `query(…)` and `queryOne(…)`. */
  readonly sent: number;
  /** Names in the places of tables: in its SQL, and in calls that make SQL with a name. */
  readonly tables: readonly string[];
  /** The entities whose rows it reads or writes: `repository(User)`. */
  readonly usedEntities: readonly string[];
  /** The entities that it declares: name of the class and of the table. */
  readonly declaredEntities: readonly { readonly name: string; readonly table: string }[];
}

/** Keywords are written in capitals in this code base; anything that is handed to `query` counts whatever it looks like. */
const LOOKS_LIKE_SQL =
  /\b(?:SELECT|INSERT INTO|DELETE FROM|UPDATE [a-z_]+|LOCK TABLE|TRUNCATE|LISTEN|NOTIFY|WITH (?:RECURSIVE )?[a-z_]+(?: \([^)]*\))? AS|(?:FROM|JOIN|USING) [a-z_]+)\b/;

const NAME = String.raw`(?:ONLY\s+)?([a-z_]+)(?:\s+(?:AS\s+)?(?!(?:on|where|set|join|left|cross|limit|order|group|for|using|values)\b)[a-z_]+)?`;
/** The name after a keyword, and what follows a comma: `FROM users u, customers c`. */
const TABLES = new RegExp(String.raw`\b(?:FROM|JOIN|INTO|UPDATE|USING|TABLE)\s+${NAME}((?:\s*,\s*${NAME})*)`, 'gi');

/** Every source file of the service. */
export function readSources(): Source[] {
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && !file.endsWith('.spec.ts'),
  );
  return files.sort().map((file) => readSource(file, readFileSync(path.join(src, file), 'utf8')));
}

/** What one file has to do with tables. */
export function readSource(file: string, text: string): Source {
  const found = {
    ...{ sql: [] as string[], sent: 0, named: [] as string[] },
    ...{ usedEntities: [] as string[], declaredEntities: [] as Source['declaredEntities'][number][] },
  };
  const visit = (node: ts.Node, isSent: boolean): void => {
    const literal = literalOf(node);
    if (literal !== null && (isSent || LOOKS_LIKE_SQL.test(literal))) found.sql.push(literal);
    if (ts.isClassDeclaration(node)) found.declaredEntities.push(...declaredBy(node));
    const sends = ts.isCallExpression(node) && /^query(One)?$/.test(calleeOf(node));
    if (sends) found.sent += 1;
    if (ts.isCallExpression(node) || ts.isNewExpression(node)) {
      const [first] = (node.arguments ?? []).map((argument) => literalOf(argument) ?? argument.getText());
      const callee = calleeOf(node);
      if (callee === 'expire' && first !== undefined) found.named.push(first);
      if (callee === 'repository' && first !== undefined) found.usedEntities.push(first);
    }
    ts.forEachChild(node, (child) => visit(child, isSent || (sends && child === node.arguments[0])));
  };
  visit(ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true), false);
  const { named, ...rest } = found;
  return { file, module: moduleOf(file), ...rest, tables: [...new Set([...named, ...found.sql.flatMap(tablesIn)])] };
}

/** The names in the places of tables; those of parts of a statement (`WITH name AS …`) and of functions are among them. */
const tablesIn = (sql: string): string[] =>
  [...sql.replaceAll(/'[^']*'/g, "''").matchAll(TABLES)].flatMap(([, first = '', others = '']) => [
    first,
    ...others.split(',').flatMap((other) => /^\s*([a-z_]+)/.exec(other)?.[1] ?? []),
  ]);

const moduleOf = (file: string): string => {
  const folders = file.split('/').slice(0, -1);
  return folders.slice(0, folders[0] === 'modules' || folders[0] === 'shared' ? 2 : 1).join('/');
};

const calleeOf = ({ expression }: ts.CallExpression | ts.NewExpression): string =>
  ts.isPropertyAccessExpression(expression) ? expression.name.text : expression.getText();

function literalOf(node: ts.Node): string | null {
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return node.text;
  if (!ts.isTemplateExpression(node)) return null;
  return [node.head, ...node.templateSpans.map(({ literal }) => literal)].map(({ text }) => text).join(' ');
}

function declaredBy(node: ts.ClassDeclaration): { name: string; table: string }[] {
  const calls = (ts.getDecorators(node) ?? []).map(({ expression }) => expression).filter(ts.isCallExpression);
  return calls
    .filter((call) => calleeOf(call) === 'Entity')
    .flatMap(({ arguments: [table] }) => (table && node.name ? [{ name: node.name.text, table: literalOf(table) ?? '' }] : []));
}
