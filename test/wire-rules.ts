/** Wire types are declared once, in src/wire: finds copies of them in the clients. */
import { readdirSync } from 'node:fs'
import type { Schema } from '../src/kernel/json-schema.ts'
import type { Files } from './repo-rules.ts'

/** Types with fewer members say too little to be called copies. */
const MEMBERS_MIN = 4

export interface MemberSet {
  readonly name: string
  readonly members: ReadonlySet<string>
}

/** The object types of src/wire: those of shapes, at any depth, and interfaces. */
export async function wireTypes(files: Files): Promise<MemberSet[]> {
  const folder = new URL('../src/wire/', import.meta.url)
  const modules = readdirSync(folder).filter(name => name.endsWith('.ts'))
  const ofShapes = await Promise.all(
    modules.map(async name => {
      const exported = (await import(new URL(name, folder).href)) as Record<
        string,
        { schema?: Schema } | null
      >
      return Object.entries(exported).flatMap(([key, value]) => [
        ...objectsIn(value?.schema, `${name} ${key}`),
      ])
    }),
  )
  const ofInterfaces = [...files]
    .filter(([path]) => path.startsWith('src/wire/') && path.endsWith('.ts'))
    .flatMap(([path, text]) => objectTypes(path, text))
  return [...ofShapes.flat(), ...ofInterfaces]
}

function* objectsIn(schema: Schema | undefined, name: string): Generator<MemberSet> {
  if (schema === undefined) return
  const { properties = {}, patternProperties = {}, items, anyOf = [] } = schema
  yield { name, members: new Set(Object.keys(properties)) }
  for (const [key, one] of Object.entries(properties)) yield* objectsIn(one, `${name}.${key}`)
  for (const one of [...Object.values(patternProperties), ...anyOf]) yield* objectsIn(one, name)
  yield* objectsIn(items, name)
}

const HEAD = /\b(?:interface\s+(\w+)[^{;=]*|type\s+(\w+)(?:<[^>]*>)?\s*=[^{;(]*)\{/g
const MEMBER = /^\s*(?:readonly\s+)?(?:(\w+)|'([^']+)')\??:\s/

/** Interfaces and type literals of a source, at any depth, with the names of their members. */
export function objectTypes(path: string, text: string): MemberSet[] {
  const code = text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '$1')
  return [...code.matchAll(HEAD)].flatMap(head =>
    bodiesIn(code.slice(head.index + head[0].length)).map(members => ({
      name: `${path}: ${head[1] ?? head[2]}`,
      members,
    })),
  )
}

/** Of a body that is open, and of all bodies inside it. */
function bodiesIn(code: string): Set<string>[] {
  const closed: Set<string>[] = []
  const open = [new Set<string>()]
  let segment = ''
  for (const sign of code) {
    if (!'{};\n'.includes(sign)) {
      segment += sign
      continue
    }
    const [, name, quoted] = MEMBER.exec(`${segment} `) ?? []
    const member = name ?? quoted
    if (member !== undefined) open.at(-1)?.add(member)
    segment = ''
    if (sign === '{') open.push(new Set())
    if (sign === '}') closed.push(open.pop() as Set<string>)
    if (open.length === 0) break
  }
  return closed
}

const CLIENTS = /^(console\/src|src\/client|src\/cli)\/.*(?<!\.test|\.fixture)\.tsx?$/

/** Types of the clients whose members are all members of one wire type. */
export function wireCopies(files: Files, types: readonly MemberSet[]): string[] {
  return [...files]
    .filter(([path]) => CLIENTS.test(path))
    .flatMap(([path, text]) => objectTypes(path, text))
    .flatMap(({ name, members }) => {
      if (members.size < MEMBERS_MIN) return []
      const original = types.find(one => members.isSubsetOf(one.members))
      return original === undefined ? [] : [`${name}: a copy of src/wire/${original.name}; import that type`]
    })
}

const PLUMBING = new Set(['console/src/api/http.ts', 'console/src/api/lines.ts'])

/** What the server answers is described in src/wire, not beside the requests of the console. */
export function answersOfTheConsole(files: Files): string[] {
  return [...files]
    .filter(([path]) => /^console\/src\/api\/[^/]*(?<!\.test)\.ts$/.test(path) && !PLUMBING.has(path))
    .flatMap(([path, text]) =>
      [...text.matchAll(/^(?:export )?interface (\w+)/gm)].map(
        ([, name]) => `${path}: ${name}; declare the types of answers in src/wire`,
      ),
    )
}

/** The console's bundle gets types from the server's sources, never code. */
export function serverCodeInConsole(files: Files): string[] {
  return [...files]
    .filter(([path]) => /^console\/src\/.*(?<!\.test)\.tsx?$/.test(path))
    .flatMap(([path, text]) =>
      [...text.matchAll(/^import (type )?\{[^}]*\} from '([./]*\/src\/wire\/[^']+)'/gm)]
        .filter(([, type]) => type === undefined)
        .map(([, , from]) => `${path}: import only types from ${from}`),
    )
}
