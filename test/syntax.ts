/** Sources as syntax trees (ESTree with types), for rules that patterns over text cannot express. */
import { parseAst } from 'rolldown/parseAst'

export interface SyntaxNode {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [member: string]: unknown
}

export function parseSource(path: string, text: string): SyntaxNode {
  return parseAst(text, { lang: path.endsWith('x') ? 'tsx' : 'ts' }, path) as unknown as SyntaxNode
}

const isNode = (value: unknown): value is SyntaxNode =>
  typeof value === 'object' && value !== null && typeof (value as SyntaxNode).type === 'string'

export function childrenOf(node: SyntaxNode): SyntaxNode[] {
  const children: SyntaxNode[] = []
  for (const name in node) {
    const member = node[name]
    if (Array.isArray(member)) for (const one of member) isNode(one) && children.push(one)
    else if (isNode(member)) children.push(member)
  }
  return children
}

/** A node and all below it, parents first. */
export function nodesIn(root: SyntaxNode): SyntaxNode[] {
  const found: SyntaxNode[] = []
  const open = [root]
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    found.push(node)
    const children = childrenOf(node)
    for (let at = children.length - 1; at >= 0; at--) open.push(children[at] as SyntaxNode)
  }
  return found
}

export const lineOf = (text: string, { start }: SyntaxNode): number => text.slice(0, start).split('\n').length

/** The names that a module declares `const` at its top, exported or not. */
export function constantsOf(program: SyntaxNode): Map<string, SyntaxNode> {
  const constants = new Map<string, SyntaxNode>()
  for (const statement of program.body as SyntaxNode[]) {
    const declared = (
      statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement
    ) as SyntaxNode | null
    if (declared?.type !== 'VariableDeclaration' || declared.kind !== 'const') continue
    for (const { id, init } of declared.declarations as { id: SyntaxNode; init: SyntaxNode | null }[])
      if (id.type === 'Identifier' && init !== null) constants.set(id.name as string, init)
  }
  return constants
}

/** Imported names: the local one, and where it is from. */
export function importedNames(program: SyntaxNode): Map<string, { from: string; name: string }> {
  const imported = new Map<string, { from: string; name: string }>()
  for (const statement of program.body as SyntaxNode[]) {
    if (statement.type !== 'ImportDeclaration') continue
    const from = (statement.source as SyntaxNode).value as string
    for (const { type, local, imported: outer } of statement.specifiers as SyntaxNode[])
      if (type === 'ImportSpecifier')
        imported.set((local as SyntaxNode).name as string, {
          from,
          name: (outer as SyntaxNode).name as string,
        })
  }
  return imported
}
