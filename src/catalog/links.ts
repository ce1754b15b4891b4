/** Links are paths from the root of the service; clients append them to its address. */

const NAMESPACES = '/v2/metadefs/namespaces'

const READABLE = /%(?:3A|40|24|26|2B|2C|3B|3D)/g

/** Encodes a name as one segment of a path and keeps readable characters. */
function encodeSegment(name: string): string {
  return encodeURIComponent(name).replace(READABLE, escaped => decodeURIComponent(escaped))
}

export const namespaceLink = (namespace: string): string => `${NAMESPACES}/${encodeSegment(namespace)}`

export const objectsLink = (namespace: string): string => `${namespaceLink(namespace)}/objects`

export const objectLink = (namespace: string, name: string): string =>
  `${objectsLink(namespace)}/${encodeSegment(name)}`

export const schemaLink = (schema: string): string => `/v2/schemas/metadefs/${schema}`

type Parameters = Readonly<Record<string, string>>

/** To the first page of a list, and to the page after `last`, if any. */
export function pageLinks(
  path: string,
  { marker: _, ...parameters }: Parameters,
  last: string | null,
): { readonly first: string; readonly next?: string } {
  const first = addQuery(path, parameters)
  return last === null ? { first } : { first, next: addQuery(path, { ...parameters, marker: last }) }
}

export const namespacesPath = NAMESPACES

function addQuery(path: string, parameters: Parameters): string {
  const query = new URLSearchParams(Object.entries(parameters)).toString()
  return query === '' ? path : `${path}?${query}`
}
