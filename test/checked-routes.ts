/**
 * Holds every request and answer of the tests against what its route declares, in the version that was agreed on: what
 * the OpenAPI documents say is what the server does.
 */
import type { AnswerSchemas, ApiAnswer, ApiRequest, Route, SchemaFor } from '../src/http/api.ts'
import { findFirstFault, type Schema } from '../src/http/formats/json-schema.ts'
import type { Query } from '../src/http/request/query.ts'
import type { ServedRoute } from '../src/http/server.ts'

/** Longer answers are not checked: they are lists of what shorter ones have. */
const CHARS_MAX = 1_000_000

/** The faults found so far; the test that ends the server shows them. */
export function checkRoutes(routes: readonly ServedRoute[]): readonly string[] {
  const faults: string[] = []
  for (const { route, mount } of routes) {
    const handle = route.handle.bind(route)
    const name = `${route.method} ${mount}${route.path}`
    Object.assign(route, {
      async handle(request: ApiRequest<unknown>) {
        const read = new Set<string>()
        // Routes of /v1 name their parameters, or take those of another API.
        const answer = await handle(mount === '/v1' ? request : watchingQuery(request, read))
        for (const fault of faultsOf(route, request, answer, read))
          if (faults.length < 20) faults.push(`${name}: ${fault}`)
        return answer
      },
    })
  }
  return faults
}

function* faultsOf(
  route: Route<unknown>,
  request: ApiRequest<unknown>,
  answer: ApiAnswer,
  read: ReadonlySet<string>,
): Generator<string> {
  const { status } = answer
  if (route.answers === undefined || status > 300) return
  const answers: AnswerSchemas =
    typeof route.answers === 'function' ? route.answers(request.features) : route.answers
  const schema = answers[status]
  if (schema === undefined) yield `answers ${status}, which it does not declare`
  else {
    const sent = sentAnswer(route, answer)
    if (sent.body !== undefined || !route.maybeEmpty?.includes(status))
      yield* prefixed(`answer ${status}`, answerFault(schema, sent))
  }
  for (const name of Object.keys(route.answerHeaders ?? {}))
    if (answer.headers?.[name] === undefined) yield `answers without the header ${name}, which it declares`
  yield* prefixed('request body', bodyFault(route, request))
  const query = schemaOf(route.query, request)
  yield* prefixed('query', queryFault(query, request))
  if (query?.additionalProperties === false) return
  const known = Object.keys({ ...query?.properties })
  const patterns = Object.keys({ ...query?.patternProperties }).map(pattern => new RegExp(pattern))
  for (const name of read)
    if (!known.includes(name) && !patterns.some(pattern => pattern.test(name)))
      yield `reads the parameter ${name}, which it does not declare`
}

/** Notes which parameters the handler looks for. */
function watchingQuery(request: ApiRequest<unknown>, read: Set<string>): ApiRequest<unknown> {
  const { query } = request
  const noting =
    <T>(find: (name: string) => T) =>
    (name: string): T => {
      read.add(name)
      return find(name)
    }
  const watched = {
    text: query.text,
    entries: () => query.entries(),
    lastValues: () => query.lastValues(),
    all: noting(name => query.all(name)),
    first: noting(name => query.first(name)),
    last: noting(name => query.last(name)),
  } as unknown as Query
  return Object.create(request, { query: { value: watched } })
}

function* prefixed(what: string, fault: string | null): Generator<string> {
  if (fault !== null) yield `${what}: ${fault}`
}

const schemaOf = (
  schema: SchemaFor<unknown> | undefined,
  { features }: ApiRequest<unknown>,
): Schema | undefined => (typeof schema === 'function' ? schema(features) : schema)

/** The body of an answer to HEAD is not sent. */
const sentAnswer = ({ method }: Route<unknown>, answer: ApiAnswer): Pick<ApiAnswer, 'body'> =>
  method === 'HEAD' ? {} : answer

function answerFault(schema: Schema | null, { body }: Pick<ApiAnswer, 'body'>): string | null {
  if (schema === null) return body === undefined || body === '' ? null : 'it has a body'
  if (body === undefined) return 'it has no body'
  if (typeof body === 'object' && 'pieces' in body) return null
  const text = typeof body === 'string' ? body : Buffer.concat(body).toString()
  return text.length > CHARS_MAX ? null : faultIn(schema, JSON.parse(text))
}

function bodyFault(route: Route<unknown>, request: ApiRequest<unknown>): string | null {
  const { body, features } = request
  if (body.length === 0 || body.length > CHARS_MAX) return null
  const actions = route.actions?.(features)
  const schema = schemaOf(route.requestBody, request)
  if (actions === undefined && schema === undefined) return null
  const value = JSON.parse(body.toString())
  if (actions === undefined) return faultIn(schema as Schema, value)
  const [name = ''] = Object.keys(value)
  const action = actions[name]
  return action === undefined ? `the action ${name} is not declared` : faultIn(action, value)
}

/** Texts stand for the numbers and flags that they spell. */
function queryFault(schema: Schema | undefined, { query }: ApiRequest<unknown>): string | null {
  if (schema === undefined) return null
  const values = Object.entries(query.lastValues()).map(([name, text]) => {
    const type = schema.properties?.[name]?.type
    if (type === 'integer' || type === 'number') return [name, numberIn(text)]
    if (type === 'array') return [name, query.all(name)]
    return [name, type === 'boolean' ? /^(true|1|yes|on|t|y)$/i.test(text) : text]
  })
  return faultIn(schema, Object.fromEntries(values))
}

/** Digits without end are a whole number too. */
const numberIn = (text: string): number =>
  /^\d+$/.test(text) ? Math.min(Number(text), Number.MAX_VALUE) : Number(text)

function faultIn(schema: Schema, value: unknown): string | null {
  const fault = findFirstFault(schema, value)
  return fault === null ? null : `${fault.path}: ${fault.message}`
}
