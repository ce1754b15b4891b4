import type { Schema } from '../../http/formats/json-schema.ts'
import { type V1Context, v1Routes } from '../routes.ts'
import { bodySizeOf, headersOf, problemsOf } from './openapi.ts'
import type { V1Route } from './route.ts'

/** The page docs/reference/v1.md, from the descriptions of the routes. */
export function v1Reference(): string {
  // Routes look at their context only when somebody asks them something.
  const routes = v1Routes({ placement: {} } as V1Context)
  return `${[INTRODUCTION, contents(routes), ...routes.map(chapter)].join('\n\n')}\n`
}

const INTRODUCTION = `# /v1, Berth's own API

<!-- Made by npm run docs from the descriptions of the routes in src/v1. -->

Every request needs a token in \`X-Auth-Token\`. A running server describes the same as OpenAPI 3.1 at
\`/v1/openapi.json\`.

Errors are problem documents (RFC 9457, \`application/problem+json\`) with \`title\`, \`status\`, \`code\`, \`detail\` and
\`request_id\`; programs go by \`code\`. Further members are facts: the numbers and names that it is about.

Every write takes an \`Idempotency-Key\`: a request that is sent again has one effect and one answer.`

function contents(routes: readonly V1Route[]): string {
  const rows = routes.map(
    route =>
      `| [\`${route.method} /v1${route.path}\`](#${anchor(route)}) | ${route.summary} | \`${route.operation}\` |`,
  )
  return ['| route | what it does | policy operation |', '| --- | --- | --- |', ...rows].join('\n')
}

const title = (route: V1Route): string => `${route.method} /v1${route.path}`

/** As GitHub makes it from a heading. */
const anchor = (route: V1Route): string =>
  title(route)
    .toLowerCase()
    .replaceAll(/[^a-z0-9 _-]/g, '')
    .replaceAll(' ', '-')

function chapter(route: V1Route): string {
  const { answer } = route
  const mediaType = answer.mediaType ?? 'application/json'
  const parts = [
    `## ${title(route)}`,
    `${route.summary}.`,
    route.description,
    section('In the path', named(route.params)),
    section('Query', route.anyQuery === true ? null : fields(route.query?.schema, '')),
    section('Request headers', named(headersOf(route))),
    route.body === undefined
      ? null
      : section(`Body: \`application/json\`, at most ${bodySizeOf(route)}`, fields(route.body.schema, '')),
    rawBody(route),
    `**Answer:** \`${mediaType}\`. ${answer.description}`,
    section('Answer headers', named(answer.headers)),
    answer.shape === undefined ? null : section('Its fields', fields(answer.shape.schema, '')),
    answer.example === undefined ? null : fenced(answer.example),
    statuses(route),
  ]
  return parts.filter(part => part !== null).join('\n\n')
}

function section(heading: string, lines: readonly string[] | null): string | null {
  return lines === null || lines.length === 0 ? null : `**${heading}:**\n\n${lines.join('\n')}`
}

const named = (texts: Readonly<Record<string, string>> | undefined): string[] =>
  Object.entries(texts ?? {}).map(([name, text]) => `* \`${name}\`: ${text}`)

function rawBody(route: V1Route): string | null {
  if (!('write' in route) || route.rawBody === undefined) return null
  const example = route.rawBodyExample === undefined ? '' : `\n\n${fenced(route.rawBodyExample)}`
  return `**Body:** \`${route.rawBody}\`.${example}`
}

const fenced = (text: string): string => `\`\`\`\n${text.trimEnd()}\n\`\`\``

function statuses(route: V1Route): string {
  const rows = Object.entries(problemsOf(route)).map(([status, text]) => `| ${status} | ${text} |`)
  return ['| status | when |', '| --- | --- |', '| 200 | As above. |', ...rows].join('\n')
}

/** The fields of an object, those inside it indented. */
function fields(schema: Schema | undefined, indent: string): string[] {
  return Object.entries(schema?.properties ?? {}).flatMap(([name, field]) => {
    const optional = schema?.required?.includes(name) === true ? '' : ', optional'
    const line = `${indent}* \`${name}\` (${typeOf(field)}${optional}): ${field.description ?? ''}`
    return [line.trimEnd(), ...fields(innermost(field), `${indent}  `)]
  })
}

/** The object in a list, in a map, or beside null. */
function innermost(schema: Schema): Schema | undefined {
  if (schema.properties !== undefined) return schema
  const inner = schema.items ?? Object.values(schema.patternProperties ?? {})[0] ?? schema.anyOf?.[0]
  return inner === undefined ? undefined : innermost(inner)
}

function typeOf(schema: Schema): string {
  if (schema.anyOf !== undefined) return schema.anyOf.map(typeOf).join(' or ')
  if (schema.enum !== undefined) return schema.enum.map(value => `\`${value}\``).join(' or ')
  if (schema.items !== undefined) return `list of ${typeOf(schema.items)}`
  const values = Object.values(schema.patternProperties ?? {})[0]
  if (values !== undefined) return `object by name of ${typeOf(values)}`
  return schema.format ?? String(schema.type ?? 'any')
}
