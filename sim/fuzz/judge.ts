/** Finds what is wrong with an answer to any request. */
import type { ServiceName } from './routes.ts'
import type { WireAnswer } from './wire.ts'

/** 501: operations that Berth documents as not its own. */
const ALLOWED_5XX = [501, 503, 507]

interface Judged {
  readonly answer: WireAnswer
  readonly service: ServiceName
  readonly method: string
  /** The request may not have reached the service of its path, or not as JSON. */
  readonly isBroken: boolean
}

/** Null: no fault. */
export function faultOf({ answer, service, method, isBroken }: Judged): string | null {
  const { status, headers, body, isEndless } = answer
  if (status >= 500 && !ALLOWED_5XX.includes(status)) return `status ${status}`
  if (status < 100 || status > 599) return `status ${status}, which there is not`
  if (headers.get('x-content-type-options') !== 'nosniff') return 'without the safety headers'
  if (isEndless || method === 'HEAD' || status === 204 || status === 304) return null
  const type = headers.get('content-type') ?? ''
  const json = /\bjson\b/.test(type) ? parseJson(body) : undefined
  if (json === null && !/ndjson/.test(type)) return 'a body that is not JSON'
  if (status < 400) return null
  if (headers.get('x-openstack-request-id') === undefined) return 'an error without a request id'
  return isBroken ? anyFormFault(status, type, body, json) : formFault(service, status, type, body, json)
}

type Json = Record<string, unknown> | null | undefined

function parseJson(body: Buffer): Json {
  try {
    const value = JSON.parse(body.toString('utf8'))
    return typeof value === 'object' && value !== null ? value : {}
  } catch {
    return null
  }
}

/** In the form of one of our APIs. */
function anyFormFault(status: number, type: string, body: Buffer, json: Json): string | null {
  const services: readonly ServiceName[] = ['placement', 'compute', 'image', 'identity', 'v1']
  const faults = services.map(service => formFault(service, status, type, body, json))
  return faults.includes(null) ? null : `an error of no form: ${type} ${body.toString('utf8', 0, 200)}`
}

function formFault(
  service: ServiceName,
  status: number,
  type: string,
  body: Buffer,
  json: Json,
): string | null {
  const isGood = FORMS[service](status, type, json ?? {}, body)
  return isGood
    ? null
    : `an error that is not of the form of ${service}: ${type} ${body.toString('utf8', 0, 200)}`
}

type Form = (status: number, type: string, json: Record<string, unknown>, body: Buffer) => boolean

const isText = (value: unknown): boolean => typeof value === 'string'
const isPage = (status: number, type: string, body: Buffer): boolean =>
  /^text\/(html|plain); charset=UTF-8$/.test(type) && body.includes(String(status))
const isBare = (status: number, json: Record<string, unknown>): boolean =>
  isText(json.message) && String(json.code).startsWith(String(status)) && isText(json.title)

const placementForm: Form = (status, type, json, body) => {
  if (isPage(status, type, body)) return true
  const [error] = Array.isArray(json.errors) ? (json.errors as Record<string, unknown>[]) : []
  if (error === undefined) return status === 401 && isBare(status, json)
  return error.status === status && isText(error.title) && isText(error.detail) && isText(error.request_id)
}

const faultForm: Form = (status, type, json) => {
  const [fault, ...more] = Object.values(json) as Record<string, unknown>[]
  return (
    /^application\/json/.test(type) && more.length === 0 && fault?.code === status && isText(fault.message)
  )
}

const FORMS: Readonly<Record<ServiceName, Form>> = {
  placement: placementForm,
  plain: placementForm,
  compute: faultForm,
  share: faultForm,
  image: (status, type, json, body) => isPage(status, type, body) || isBare(status, json),
  identity: (status, type, json) => {
    const error = json.error as Record<string, unknown> | undefined
    return (
      /^application\/json/.test(type) &&
      error?.code === status &&
      isText(error.message) &&
      isText(error.title)
    )
  },
  v1: (status, type, json) =>
    /^application\/problem\+json/.test(type) &&
    json.status === status &&
    [json.title, json.code, json.detail, json.request_id].every(isText),
}
