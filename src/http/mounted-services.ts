/** Which service answers which path. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { assert } from '../kernel/assert.ts'
import type { Authenticator } from './authenticator.ts'
import { indexService } from './index-service.ts'
import { type Health, healthService } from './ops/health.ts'
import { type HealthcheckSettings, NO_HEALTHCHECK_FILES } from './ops/healthcheck.ts'
import { withoutRequests } from './ops/log.ts'
import { HttpMetrics, Registry } from './ops/metrics.ts'
import type { ReportingParts } from './request/request-context.ts'
import { type HandlerParts, ServiceHandler } from './request/service-handler.ts'
import type { Service } from './service.ts'
import type { StaticFiles } from './static-files.ts'

export interface MountedService {
  /** `''` for the root, or e.g. `/placement`. */
  readonly mount: string
  // biome-ignore lint/suspicious/noExplicitAny: every service has its own features, which only its routes read
  readonly service: Service<any>
  /** Replaces the server's authenticator: some services have their own rules for tokens. */
  readonly authenticator?: Authenticator
  /** Not in the list of services at the root. */
  readonly isUnlisted?: true
  /** Wraps the handler, and may answer itself. */
  readonly front?: MakeFront
}

/** Answers the requests of a mount. Never rejects. */
export interface RequestFront {
  serve(request: IncomingMessage, response: ServerResponse, id: string, url: string): Promise<void>
}

export interface FrontParts {
  /** The handler of the service itself. */
  // biome-ignore lint/suspicious/noExplicitAny: every service has its own features, which only its routes read
  readonly handler: ServiceHandler<any>
  /** A handler whose requests are neither logged nor counted. */
  // biome-ignore lint/suspicious/noExplicitAny: as above
  readonly makeQuiet: (service: Service<any>, authenticator?: Authenticator) => ServiceHandler<any>
  readonly reporting: ReportingParts
}

type MakeFront = (parts: FrontParts) => RequestFront

/** The options of a server that its mounts need. */
export interface MountOptions {
  readonly services: readonly MountedService[]
  readonly metrics: Registry
  readonly health: Health
  /** Absent: /healthcheck looks at no files. */
  readonly healthcheck?: HealthcheckSettings
  /** Further fields in the list of services at the root. */
  readonly indexFacts?: Readonly<Record<string, unknown>>
  /** Pages for browsers, on paths without a service. Not with a service at the root, which has every path. */
  readonly files?: StaticFiles | null
}

export interface Mount {
  /** Paths with this prefix belong to the service ... */
  readonly prefix: string
  /** ... which does not see this many characters of them. */
  readonly hidden: number
  readonly handler: ServiceHandler<unknown>
  readonly front: RequestFront
}

/** The longest prefix first, so that `/a/b` does not match as a path of `/a`; the last has every path. */
export function makeMounts(options: MountOptions, parts: HandlerParts, health: HealthMounts): Mount[] {
  const mounts = options.services.map(({ mount, service, authenticator, front }): Mount => {
    assert(mount === '' || /^(?:\/[\w.-]+)+$/.test(mount), () => `mount ${mount}`)
    const own = authenticator === undefined ? parts : { ...parts, authenticator }
    const handler = new ServiceHandler(service, mount, own)
    const quiet = {
      ...own,
      tracer: null,
      metrics: new HttpMetrics(new Registry()),
      log: withoutRequests(own.log),
    }
    const makeQuiet: FrontParts['makeQuiet'] = (inner, other) =>
      new ServiceHandler(inner, mount, other === undefined ? quiet : { ...quiet, authenticator: other })
    return {
      prefix: mount,
      hidden: mount.length,
      handler,
      front: front?.({ handler, makeQuiet, reporting: parts }) ?? handler,
    }
  })
  mounts.push(...health.mounts)
  if (!mounts.some(({ prefix }) => prefix === '')) {
    const index = indexService({ index: indexDocument(options), files: options.files ?? null })
    const handler = new ServiceHandler(index, '', parts) as ServiceHandler<unknown>
    mounts.push({ prefix: '', hidden: 0, handler, front: handler })
  }
  return mounts.sort((one, other) => other.prefix.length - one.prefix.length)
}

export interface HealthMounts {
  readonly handler: ServiceHandler<unknown>
  readonly paths: readonly string[]
  readonly mounts: readonly Mount[]
}

/** At the root; and /healthcheck below every service too, where deployments of a single service expect it. */
export function makeHealth(options: MountOptions, parts: HandlerParts): HealthMounts {
  const { health, metrics, services, healthcheck = NO_HEALTHCHECK_FILES } = options
  const service = healthService({ health, metrics, healthcheck, isDraining: parts.isDraining })
  // Probes and scrapes are frequent and not worth tracing, and an overloaded server must still answer them.
  const own = { ...parts, tracer: null, admission: null }
  const handler = new ServiceHandler(service, '', own) as ServiceHandler<unknown>
  const paths = [...new Set(service.routes.map(route => route.path))]
  const below = services.filter(({ mount }) => mount !== '')
  const mounts = [
    ...below.map(({ mount }) => ({
      prefix: `${mount}/healthcheck`,
      hidden: mount.length,
      handler,
      front: handler,
    })),
    ...paths.map(path => ({ prefix: path, hidden: 0, handler, front: handler })),
  ]
  return { handler, paths, mounts }
}

function indexDocument({ services, indexFacts }: MountOptions): string {
  const listed = services.filter(({ isUnlisted }) => isUnlisted !== true)
  return JSON.stringify({
    ...indexFacts,
    services: listed.map(({ mount, service }) => ({
      name: service.name,
      path: `${mount}/`,
      ...(service.versions === null
        ? {}
        : { min_version: service.versions.min, max_version: service.versions.max }),
    })),
  })
}

export function isBelow(url: string, prefix: string): boolean {
  if (!url.startsWith(prefix)) return false
  const next = url.charAt(prefix.length)
  return prefix === '' || next === '' || next === '/' || next === '?'
}
