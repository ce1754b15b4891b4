/**
 * `String`, `Number`, templates, `+` and `join` call the methods of an object, and throw where a caller sent one with a member
 * `toString`. So nothing whose type allows an object is turned into text or a number by them: `jsonText` does it.
 */
import { fileURLToPath } from 'node:url'
import { type Expression, type Node, SyntaxKind } from 'typescript/unstable/ast'
import {
  isBinaryExpression,
  isCallExpression,
  isIdentifier,
  isPropertyAccessExpression,
  isTemplateSpan,
} from 'typescript/unstable/ast/is'
import { API, type Checker, type Type, TypeFlags, type TypeReference } from 'typescript/unstable/sync'

const ROOMS = /\/src\/(catalog|compute|http|identity|placement|scheduling|shares|transfer|v1|world)\//
const NO_PRODUCT = /\.(test|contract|fixture)\.ts$/

/** What was thrown is ours, or Node's. */
const THROWN = new Set(['error', 'reason', 'thrown'])

const CONVERTERS = new Set(['String', 'Number', 'BigInt'])

export function openCoercions(config: string): string[] {
  const api = new API({ cwd: fileURLToPath(new URL('..', import.meta.url)) })
  try {
    const project = api.updateSnapshot({ openProjects: [config] }).getProject(config)
    if (project === undefined) throw new Error(`${config} is no project`)
    const { program, checker, rootFiles } = project
    return rootFiles
      .filter(path => ROOMS.test(path) && !NO_PRODUCT.test(path))
      .flatMap(path => {
        const file = program.getSourceFile(path)
        if (file === undefined) throw new Error(`${path} cannot be read`)
        return openIn(file, checker).map(node => {
          const text = file.text.slice(node.pos, node.end).trim()
          const line = file.text.slice(0, node.end).split('\n').length
          return `${path.slice(path.search(ROOMS) + 1)}:${line}: ${text} may be an object: use jsonText()`
        })
      })
  } finally {
    api.close()
  }
}

function openIn(file: Node, checker: Checker): Expression[] {
  const coerced: Expression[] = []
  const visit = (node: Node): void => {
    coerced.push(...coercedBy(node))
    node.forEachChild(visit)
  }
  visit(file)
  const types = coerced.length === 0 ? [] : checker.getTypeAtLocation(coerced)
  return coerced.filter((node, nth) => {
    const type = types[nth]
    return type !== undefined && mayBeObject(type, checker) && !(isIdentifier(node) && THROWN.has(node.text))
  })
}

function coercedBy(node: Node): readonly Expression[] {
  if (isTemplateSpan(node)) return [node.expression]
  if (isBinaryExpression(node))
    return node.operatorToken.kind === SyntaxKind.PlusToken ? [node.left, node.right] : []
  if (!isCallExpression(node)) return []
  const { expression: callee, arguments: given } = node
  if (isIdentifier(callee) && CONVERTERS.has(callee.text)) return given.slice(0, 1)
  return isPropertyAccessExpression(callee) && callee.name.text === 'join' ? [callee.expression] : []
}

const OBJECTS = TypeFlags.Any | TypeFlags.Unknown | TypeFlags.NonPrimitive

/** Also a list of such, and an object whose members a caller names. Those of our own types have the methods that we expect. */
function mayBeObject(type: Type, checker: Checker): boolean {
  if ((type.flags & OBJECTS) !== 0) return true
  if (type.isUnionType()) return type.getTypes().some(one => mayBeObject(one, checker))
  if ((type.flags & TypeFlags.Object) === 0) return false
  if (checker.isArrayType(type) || checker.isTupleType(type))
    return checker.getTypeArguments(type as TypeReference).some(one => mayBeObject(one, checker))
  return checker.getIndexInfosOfType(type).some(({ keyType }) => (keyType.flags & TypeFlags.String) !== 0)
}
