/** Links are paths from the root of the service, as clients put them behind its address. */

const NAMESPACES = '/v2/metadefs/namespaces'

const READABLE = /%(?:3A|40|24|26|2B|2C|3B|3D)/g

/** A name as one segment of a path; what may stand there as it is stays readable. */
function segment(name: string): string {
  return encodeURIComponent(name).replace(READABLE, escaped => decodeURIComponent(escaped))
}

export const namespaceLink = (namespace: string): string => `${NAMESPACES}/${segment(namespace)}`

export const objectsLink = (namespace: string): string => `${namespaceLink(namespace)}/objects`

export const objectLink = (namespace: string, name: string): string =>
  `${objectsLink(namespace)}/${segment(name)}`

export const schemaLink = (schema: string): string => `/v2/schemas/metadefs/${schema}`

type Parameters = Readonly<Record<string, string>>

/** To the first page of a list, and to the one after `last` if there may be one. */
export function pageLinks(
  path: string,
  { marker: _, ...parameters }: Parameters,
  last: string | null,
): { readonly first: string; readonly next?: string } {
  const first = withQuery(path, parameters)
  return last === null ? { first } : { first, next: withQuery(path, { ...parameters, marker: last }) }
}

export const namespacesPath = NAMESPACES

function withQuery(path: string, parameters: Parameters): string {
  const query = new URLSearchParams(Object.entries(parameters)).toString()
  return query === '' ? path : `${path}?${query}`
}
