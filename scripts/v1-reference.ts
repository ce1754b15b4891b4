import type { Schema } from '../src/http/formats/json-schema.ts'
import type { V1Route } from '../src/v1/api/route.ts'
import { bodySizeOf, headersOf, problemsOf } from '../src/v1/openapi/v1-document.ts'
import { type V1Context, v1Routes } from '../src/v1/routes.ts'

/** Renders docs/reference/v1.md from the descriptions of the routes. */
export function v1Reference(): string {
  // Routes use their context only when they serve a request.
  const routes = v1Routes({ placement: {} } as V1Context)
  return `${[INTRODUCTION, renderContents(routes), ...routes.map(renderChapter)].join('\n\n')}\n`
}

const INTRODUCTION = `# /v1, Berth's own API

<!-- Made by npm run docs from the descriptions of the routes in src/v1. -->

Every request needs a token in \`X-Auth-Token\`. A running server describes the same as OpenAPI 3.1 at
\`/v1/openapi.json\`.

Errors are problem documents (RFC 9457, \`application/problem+json\`) with \`title\`, \`status\`, \`code\`, \`detail\` and
\`request_id\`; programs go by \`code\`. Further members are facts: the numbers and names that it is about.

Every write takes an \`Idempotency-Key\`: a request that is sent again has one effect and one answer.`

function renderContents(routes: readonly V1Route[]): string {
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

function renderChapter(route: V1Route): string {
  const { answer } = route
  const mediaType = answer.mediaType ?? 'application/json'
  const parts = [
    `## ${title(route)}`,
    `${route.summary}.`,
    route.description,
    renderSection('In the path', renderNames(route.params)),
    renderSection('Query', route.anyQuery === true ? null : renderFields(route.query?.schema, '')),
    renderSection('Request headers', renderNames(headersOf(route))),
    route.body === undefined
      ? null
      : renderSection(
          `Body: \`application/json\`, at most ${bodySizeOf(route)}`,
          renderFields(route.body.schema, ''),
        ),
    renderRawBody(route),
    `**Answer:** \`${mediaType}\`. ${answer.description}`,
    renderSection('Answer headers', renderNames(answer.headers)),
    answer.shape === undefined ? null : renderSection('Its fields', renderFields(answer.shape.schema, '')),
    answer.example === undefined ? null : fence(answer.example),
    renderStatuses(route),
  ]
  return parts.filter(part => part !== null).join('\n\n')
}

function renderSection(heading: string, lines: readonly string[] | null): string | null {
  return lines === null || lines.length === 0 ? null : `**${heading}:**\n\n${lines.join('\n')}`
}

const renderNames = (texts: Readonly<Record<string, string>> | undefined): string[] =>
  Object.entries(texts ?? {}).map(([name, text]) => `* \`${name}\`: ${text}`)

function renderRawBody(route: V1Route): string | null {
  if (!('write' in route) || route.rawBody === undefined) return null
  const example = route.rawBodyExample === undefined ? '' : `\n\n${fence(route.rawBodyExample)}`
  return `**Body:** \`${route.rawBody}\`.${example}`
}

const fence = (text: string): string => `\`\`\`\n${text.trimEnd()}\n\`\`\``

function renderStatuses(route: V1Route): string {
  const rows = Object.entries(problemsOf(route)).map(([status, text]) => `| ${status} | ${text} |`)
  return [
    '| status | when |',
    '| --- | --- |',
    `| ${route.answer.status ?? 200} | As above. |`,
    ...rows,
  ].join('\n')
}

/** The fields of an object, inner ones indented. */
function renderFields(schema: Schema | undefined, indent: string): string[] {
  return Object.entries(schema?.properties ?? {}).flatMap(([name, field]) => {
    const optional = schema?.required?.includes(name) === true ? '' : ', optional'
    const line = `${indent}* \`${name}\` (${renderType(field)}${optional}): ${field.description ?? ''}`
    return [line.trimEnd(), ...renderFields(findInnermost(field), `${indent}  `)]
  })
}

/** The object in a list, in a map, or beside null. */
function findInnermost(schema: Schema): Schema | undefined {
  if (schema.properties !== undefined) return schema
  const inner = schema.items ?? Object.values(schema.patternProperties ?? {})[0] ?? schema.anyOf?.[0]
  return inner === undefined ? undefined : findInnermost(inner)
}

function renderType(schema: Schema): string {
  if (schema.anyOf !== undefined) return schema.anyOf.map(renderType).join(' or ')
  if (schema.enum !== undefined) return schema.enum.map(value => `\`${value}\``).join(' or ')
  if (schema.items !== undefined) return `list of ${renderType(schema.items)}`
  const values = Object.values(schema.patternProperties ?? {})[0]
  if (values !== undefined) return `object by name of ${renderType(values)}`
  return schema.format ?? String(schema.type ?? 'any')
}
