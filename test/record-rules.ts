/**
 * Keys such as `__proto__` and `constructor` must be keys like any other. So no object with texts for keys is indexed by
 * a variable: `ownValue` reads it, `emptyRecord` makes one that may be written, and a Map does both.
 */
import type { Files } from './repo-rules.ts'
import { childrenOf, lineOf, nodesIn, parseSource, type SyntaxNode } from './syntax.ts'

const CLASSES = 'names of resource classes and uuids, which no object inherits'
const PARTS = 'names in the paths of our own routes'
const COLUMNS = 'the columns of our own tables'

/** Folders and files whose keys are our own, where a check of each would only cost time. */
const OWN_KEYS: ReadonlyMap<string, string> = new Map([
  ['src/demo/', 'names that the demo makes up'],
  ['src/http/request/router.ts', PARTS],
  ['src/kernel/records.ts', 'the check itself'],
  ['src/placement/allocations/allocations.routes.ts', CLASSES],
  ['src/placement/context.ts', PARTS],
  ['src/placement/inventories/inventories.routes.ts', CLASSES],
  ['src/placement/usages/', CLASSES],
  ['src/placement/versions.ts', 'names of features'],
  ['src/scheduling/framework/json-value.ts', 'lists by number, and objects by memberOf'],
  ['src/shares/quotas/quotas.routes.ts', 'resources found in our own list'],
  ['src/store/', COLUMNS],
  ['src/v1/fleet/fleet.ts', CLASSES],
  ['src/world/', COLUMNS],
])

const hasOwnKeys = (path: string): boolean => [...OWN_KEYS.keys()].some(start => path.startsWith(start))

/** Rows, which are read by column. */
const OWN_TYPES = new Set(['AnyRow', 'ChangedRow'])

/** Names that are declared as objects with texts for keys: in all files, and the variables of one. */
interface Declared {
  readonly types: ReadonlySet<string>
  readonly members: ReadonlySet<string>
  /** What gives one back. */
  readonly functions: ReadonlySet<string>
  readonly variables: ReadonlySet<string>
}

export function unsafeIndexing(files: Files): string[] {
  return openIndexings(files).map(({ path, text, node, isWrite }) => {
    const remedy = isWrite ? 'make it with emptyRecord() or a Map' : 'read it with ownValue()'
    const source = text.slice(node.start, node.end)
    return `${path}:${lineOf(text, node)}: ${source} is indexed by a variable: ${remedy}`
  })
}

interface OpenIndexing extends Indexing {
  readonly path: string
  readonly text: string
}

function openIndexings(files: Files): OpenIndexing[] {
  const programs = [...files]
    .filter(([path]) => !hasOwnKeys(path))
    .map(([path, text]) => ({ path, text, nodes: nodesIn(parseSource(path, text)) }))
  const declared = declaredIn(programs.flatMap(({ nodes }) => nodes))
  return programs.flatMap(({ path, text, nodes }) => {
    const here = withVariables(nodes, declared)
    return indexings(nodes)
      .filter(({ node }) => isOpen(node, here))
      .map(indexing => ({ path, text, ...indexing }))
  })
}

function declaredIn(nodes: readonly SyntaxNode[]): Declared {
  const types = new Set<string>()
  // An alias may stand for an alias that is declared later.
  for (let before = -1; before < types.size; ) {
    before = types.size
    for (const node of nodes) {
      if (node.type === 'TSTypeAliasDeclaration' && hasTextKeys(node.typeAnnotation as SyntaxNode, types))
        types.add(nameOf(node.id))
      if (node.type === 'TSInterfaceDeclaration' && childrenOf(node.body as SyntaxNode).some(isTextIndex))
        types.add(nameOf(node.id))
    }
  }
  const members = unambiguous(
    nodes.filter(({ type }) => type === 'TSPropertySignature' || type === 'PropertyDefinition'),
    node => [nameOf(node.key), annotationOf(node)],
    types,
  )
  const functions = unambiguous(nodes, declaredFunction, types)
  return { types, members, functions, variables: new Set() }
}

/** A name with another use too is ambiguous. */
function unambiguous(
  nodes: readonly SyntaxNode[],
  declaration: (node: SyntaxNode) => readonly [name: string, type: SyntaxNode | null],
  types: ReadonlySet<string>,
): ReadonlySet<string> {
  const found = new Set<string>()
  const others = new Set<string>()
  for (const node of nodes) {
    const [name, type] = declaration(node)
    if (type !== null) (hasTextKeys(type, types) ? found : others).add(name)
  }
  return found.difference(others)
}

function declaredFunction(node: SyntaxNode): readonly [name: string, type: SyntaxNode | null] {
  const made = (node.type === 'VariableDeclarator' ? node.init : node.value) as SyntaxNode | null | undefined
  const of = node.type === 'FunctionDeclaration' ? node : made
  const returned = (of?.returnType as SyntaxNode | null | undefined)?.typeAnnotation as SyntaxNode | undefined
  return [nameOf(node.id ?? node.key ?? {}), returned ?? null]
}

const nameOf = (node: unknown): string => String((node as SyntaxNode).name ?? '')

const annotationOf = (node: SyntaxNode): SyntaxNode | null =>
  ((node.typeAnnotation as SyntaxNode | null)?.typeAnnotation as SyntaxNode | undefined) ?? null

const isTextIndex = (node: SyntaxNode): boolean =>
  node.type === 'TSIndexSignature' &&
  (node.parameters as SyntaxNode[]).some(one => annotationOf(one)?.type === 'TSStringKeyword')

const WRAPPERS = new Set(['Readonly', 'Partial', 'NonNullable', 'Required'])

function hasTextKeys(type: SyntaxNode, types: ReadonlySet<string>): boolean {
  if (type.type === 'TSUnionType') return (type.types as SyntaxNode[]).some(one => hasTextKeys(one, types))
  if (type.type === 'TSTypeLiteral') return childrenOf(type).some(isTextIndex)
  if (type.type !== 'TSTypeReference') return false
  const name = nameOf(type.typeName)
  const [first] = ((type.typeArguments as SyntaxNode | null)?.params ?? []) as SyntaxNode[]
  if (name === 'Record') return first?.type === 'TSStringKeyword'
  return (
    (types.has(name) && !OWN_TYPES.has(name)) ||
    (WRAPPERS.has(name) && first !== undefined && hasTextKeys(first, types))
  )
}

/** The variables and parameters of a file that are such objects, without those that inherit nothing. */
function withVariables(nodes: readonly SyntaxNode[], declared: Declared): Declared {
  const bare = new Set(
    nodes.flatMap(node =>
      node.type === 'VariableDeclarator' && inheritsNothing(node.init as SyntaxNode | null)
        ? [nameOf(node.id)]
        : [],
    ),
  )
  const found = nodes.flatMap(node => {
    const annotation = node.type === 'Identifier' ? annotationOf(node) : null
    if (annotation !== null) return hasTextKeys(annotation, declared.types) ? [nameOf(node)] : []
    if (node.type === 'ObjectPattern') return takenApart(node, declared)
    const init = node.type === 'VariableDeclarator' ? (node.init as SyntaxNode | null) : null
    return init !== null && isTextKeyed(init, declared) ? [nameOf(node.id)] : []
  })
  return { ...declared, variables: new Set(found.filter(name => !bare.has(name))) }
}

function takenApart({ properties }: SyntaxNode, { members }: Declared): string[] {
  return (properties as SyntaxNode[]).flatMap(({ key, value }) => {
    if (key === undefined || !members.has(nameOf(key))) return []
    const target = value as SyntaxNode
    return [nameOf(target.type === 'AssignmentPattern' ? target.left : target)]
  })
}

const TRANSPARENT = new Set(['ParenthesizedExpression', 'TSNonNullExpression', 'ChainExpression'])

/** Whether an expression is an object with texts for keys, as far as its words tell. */
function isTextKeyed(node: SyntaxNode, declared: Declared): boolean {
  if (node.type === 'Identifier') return declared.variables.has(nameOf(node))
  if (node.type === 'MemberExpression') return !node.computed && declared.members.has(nameOf(node.property))
  if (node.type === 'TSAsExpression') return hasTextKeys(node.typeAnnotation as SyntaxNode, declared.types)
  if (TRANSPARENT.has(node.type)) return isTextKeyed(node.expression as SyntaxNode, declared)
  // A plain literal is indexed by its own keys only: the compiler sees to that.
  if (node.type !== 'CallExpression') return false
  const callee = node.callee as SyntaxNode
  if (callee.type === 'Identifier')
    return declared.functions.has(nameOf(callee)) && nameOf(callee) !== 'emptyRecord'
  const name = nameOf(callee.property ?? {})
  return nameOf(callee.object ?? {}) === 'Object' ? name === 'fromEntries' : declared.functions.has(name)
}

function inheritsNothing(init: SyntaxNode | null): boolean {
  if (init?.type === 'TSAsExpression') return inheritsNothing(init.expression as SyntaxNode)
  if (init?.type !== 'CallExpression') return false
  const callee = init.callee as SyntaxNode
  const isCreate = nameOf(callee.object ?? {}) === 'Object' && nameOf(callee.property ?? {}) === 'create'
  return isCreate || nameOf(callee) === 'emptyRecord'
}

interface Indexing {
  readonly node: SyntaxNode
  readonly isWrite: boolean
}

function indexings(nodes: readonly SyntaxNode[]): Indexing[] {
  const found: Indexing[] = []
  const writes = new Set<unknown>()
  const deleted = new Set<unknown>()
  for (const node of nodes) {
    if (node.type === 'AssignmentExpression') writes.add(node.left)
    // Only what an object has of its own can be deleted.
    if (node.type === 'UnaryExpression' && node.operator === 'delete') deleted.add(node.argument)
    if (node.type === 'MemberExpression' && node.computed && !deleted.has(node))
      found.push({ node, isWrite: writes.has(node) })
  }
  return found
}

const CONSTANT = /^[A-Z][A-Z0-9_]*$/

function isOpen(node: SyntaxNode, declared: Declared): boolean {
  const [object, key] = [node.object as SyntaxNode, node.property as SyntaxNode]
  // An unchecked claim about a key.
  const claim = key.type === 'TSAsExpression' ? (key.typeAnnotation as SyntaxNode).type : null
  if (claim === 'TSTypeOperator' || claim === 'TSTypeReference' || claim === 'TSIndexedAccessType')
    return true
  if (
    key.type === 'Literal' ||
    key.type === 'BinaryExpression' ||
    (key.type === 'Identifier' && CONSTANT.test(nameOf(key)))
  )
    return false
  return isTextKeyed(object, declared)
}
