// What .ci/measure-house.mjs counts of each source file, by TypeScript's own parser (its API is unstable; the version is pinned).
import path from 'node:path'
import * as ast from 'typescript/unstable/ast'
import { API } from 'typescript/unstable/sync'

/** Line comments, and the lines of block comments as Biome lays them out. */
const COMMENT_LINE = /^\s*(\/\/|\/\*|\*)/

/** Facts of each file of `src/`, by its path from the root of the repository. */
export function readHouse(root = process.cwd()) {
  const api = new API({ cwd: root })
  try {
    const { program } = api.updateSnapshot({ openProjects: ['tsconfig.json'] }).getProjects()[0]
    const names = program
      .getSourceFileNames()
      .filter((name) => name.startsWith(path.join(root, 'src/')) && name.endsWith('.ts'))
    return new Map(names.map((name) => [path.relative(root, name), factsOf(program.getSourceFile(name), root)]).sort())
  } finally {
    api.close()
  }
}

function factsOf(file, root) {
  const lines = file.text.split('\n').slice(0, -1)
  const facts = {
    lines: lines.length,
    comments: lines.filter((line) => COMMENT_LINE.test(line)).length,
    functions: [],
    exports: file.statements.flatMap(exportsOf),
    imports: [],
  }
  const lineOf = (at) => file.getLineAndCharacterOfPosition(at).line
  const visit = (node) => {
    const name = functionName(node)
    if (name !== null) facts.functions.push({ name, lines: 1 + lineOf(node.end) - lineOf(node.getStart(file)) })
    const found = importOf(node)
    if (found?.from.startsWith('.')) facts.imports.push({ ...found, from: targetOf(found.from, file.fileName, root) })
    node.forEachChild(visit)
  }
  visit(file)
  return facts
}

function targetOf(specifier, importer, root) {
  return path.relative(root, path.resolve(path.dirname(importer), specifier)).replace(/\.js$/, '.ts')
}

/** Of a function that has a body and a name of its own; callbacks count as lines of the function around them. */
function functionName(node) {
  if (!ast.isFunctionLikeDeclaration(node) || node.body === undefined) return null
  if (ast.isConstructorDeclaration(node)) return 'constructor'
  return (
    (node.name ?? (ast.isVariableOrPropertyDeclaration(node.parent) ? node.parent.name : undefined))?.getText() ?? null
  )
}

function exportsOf(statement) {
  if (!statement.modifiers?.some(({ kind }) => kind === ast.SyntaxKind.ExportKeyword)) return []
  const declared = ast.isVariableStatement(statement) ? statement.declarationList.declarations : [statement]
  const hasDocstring = (statement.jsDoc ?? []).length > 0
  return declared.map(({ name }) => ({ name: name.getText(), hasDocstring }))
}

/** The module that an import names, the names it takes (null: all), and whether it is of types alone. */
function importOf(node) {
  if (ast.isImportDeclaration(node) && node.importClause !== undefined) {
    const { namedBindings, phaseModifier } = node.importClause
    const elements = namedBindings !== undefined && ast.isNamedImports(namedBindings) ? namedBindings.elements : null
    const names = elements?.map((each) => (each.propertyName ?? each.name).getText()) ?? null
    const typesOnly =
      phaseModifier === ast.SyntaxKind.TypeKeyword || (elements?.every((each) => each.isTypeOnly) ?? false)
    return { from: node.moduleSpecifier.text, names, typesOnly }
  }
  if (ast.isImportTypeNode(node)) {
    return { from: node.argument.literal.text, names: node.qualifier && [node.qualifier.getText()], typesOnly: true }
  }
  if (ast.isCallExpression(node) && node.expression.kind === ast.SyntaxKind.ImportKeyword && node.arguments[0].text) {
    return { from: node.arguments[0].text, names: namesTaken(node), typesOnly: false }
  }
  return undefined
}

/** What `const { a } = await import()`, also within `Promise.all([])`, and `(await import()).a` take. */
function namesTaken(call) {
  let pattern = holderOf(call)
  if (ast.isArrayLiteralExpression(call.parent)) {
    const all = holderOf(call.parent.parent)
    const elements = all !== null && ast.isArrayBindingPattern(all) ? all.elements : []
    pattern = elements[call.parent.elements.indexOf(call)]?.name ?? null
  }
  if (pattern === null) return null
  if (ast.isIdentifier(pattern)) return [pattern.text]
  return pattern.elements.map((each) => (each.propertyName ?? each.name).getText())
}

function holderOf(call) {
  const awaited = ast.isAwaitExpression(call.parent) ? call.parent.parent : null
  if (awaited === null) return null
  if (ast.isVariableDeclaration(awaited)) return ast.isIdentifier(awaited.name) ? null : awaited.name
  return ast.isPropertyAccessExpression(awaited.parent) ? awaited.parent.name : null
}
