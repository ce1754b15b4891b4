import { stripEnd } from '../../kernel/strip.ts'

/** The services that Berth reads. */
export type ServiceType = 'compute' | 'image' | 'share'

interface ServiceFacts {
  readonly title: string
  /** Names in the catalog, the official one first. */
  readonly types: readonly string[]
  /** The segment of the path with the API version. */
  readonly version: string
  /** Asks for a microversion; null where the service has none. */
  readonly versionHeader: ((version: string) => Readonly<Record<string, string>>) | null
}

export const serviceFacts: Readonly<Record<ServiceType, ServiceFacts>> = {
  compute: {
    title: 'Nova',
    types: ['compute'],
    version: 'v2.1',
    versionHeader: version => ({
      'openstack-api-version': `compute ${version}`,
      'x-openstack-nova-api-version': version,
    }),
  },
  image: { title: 'Glance', types: ['image'], version: 'v2', versionHeader: null },
  share: {
    title: 'Manila',
    types: ['shared-file-system', 'sharev2', 'share'],
    version: 'v2',
    versionHeader: version => ({ 'x-openstack-manila-api-version': version }),
  },
}

/** How keys of clouds.yaml about this service begin. */
export const keyPrefixes = (type: ServiceType): string[] =>
  serviceFacts[type].types.map(name => name.replaceAll('-', '_'))

export interface Endpoint {
  /** The address of the version document. */
  readonly root: string
  /** The address for requests; it may end with the project. */
  readonly url: string
}

/** The endpoint for our API version, whichever version the catalog names. */
export function endpointFor(type: ServiceType, address: string): Endpoint {
  const url = stripEnd(address, '/')
  const { version } = serviceFacts[type]
  const segments = url.split('/')
  const at = segments.findLastIndex(segment => /^v\d+(\.\d+)?$/.test(segment))
  if (at === -1) return { root: `${url}/${version}`, url: `${url}/${version}` }
  const root = [...segments.slice(0, at), version].join('/')
  return { root, url: segments[at] === version ? url : root }
}
