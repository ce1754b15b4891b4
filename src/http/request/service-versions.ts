import { assert } from '../../kernel/assert.ts'
import type { Policy } from '../policy.ts'
import type { Service } from '../service.ts'
import type { VersionRange } from './microversion.ts'
import { isOpen } from './router.ts'

/** One version of a service, with all that depends only on it. */
export interface ServiceVersion<Features> {
  readonly features: Features
  readonly name: string
  readonly headers: readonly string[]
  readonly showsCodes: boolean
  readonly showsLastModified: boolean
}

/** The oldest first. A service without versions has a single one without a name. */
export function listVersions<F>(
  service: Service<F>,
  range: VersionRange | null,
  hasCors: boolean,
): ServiceVersion<F>[] {
  if (service.versions === null || range === null) return [makeUnversioned(hasCors)]
  const versions: ServiceVersion<F>[] = []
  for (let minor = range.minorMin; minor <= range.minorMax; minor++) {
    const features = service.versions.featuresOf(minor)
    const name = `${range.major}.${minor}`
    const older = service.olderVersionHeader
    const vary = [
      'openstack-api-version',
      ...(older === undefined ? [] : [older]),
      ...(hasCors ? ['Origin'] : []),
    ]
    versions.push({
      features,
      name,
      headers: [
        ...['openstack-api-version', `${service.serviceType} ${name}`],
        ...(older === undefined ? [] : [older, name]),
        ...['vary', vary.join(', ')],
      ],
      showsCodes: service.showsErrorCodes?.(features) ?? false,
      showsLastModified: service.showsLastModified?.(features) ?? false,
    })
  }
  return versions
}

function makeUnversioned<F>(hasCors: boolean): ServiceVersion<F> {
  const headers = hasCors ? ['vary', 'Origin'] : []
  return { features: {} as F, name: '', headers, showsCodes: false, showsLastModified: false }
}

/** Finds unknown operations and overlapping routes at start, not at the first request. */
export function checkRoutes<F>(
  service: Service<F>,
  versions: readonly ServiceVersion<F>[],
  policy: Policy,
): void {
  for (const { operation, method, path } of service.routes)
    assert(operation === null || policy.knows(operation), () => `${method} ${path} asks for ${operation}`)
  for (const { features, name } of versions) {
    const seen = new Set<string>()
    for (const route of service.routes) {
      if (!isOpen(route, features)) continue
      const key = `${route.method} ${route.path}`
      assert(!seen.has(key), () => `${service.name} ${name} has two routes for ${key}`)
      seen.add(key)
    }
  }
}
