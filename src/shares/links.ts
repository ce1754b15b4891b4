import type { ShareApiRequest } from './context.ts'

export const ROOT = '/v2'

/** The root of links, with the project if the request has it. */
const makeRoot = ({ params }: ShareApiRequest): string =>
  params.project_id === undefined ? ROOT : `${ROOT}/${encodeURIComponent(params.project_id)}`

export const makeLinks = (request: ShareApiRequest, path: string) => [
  { rel: 'self', href: request.addressOf(`${makeRoot(request)}/${path}`) },
  { rel: 'bookmark', href: request.addressOf(`${makeRoot(request).slice(ROOT.length)}/${path}`) },
]

export const nextLink = (request: ShareApiRequest, path: string, query: string) => [
  { rel: 'next', href: request.addressOf(`${makeRoot(request)}/${path}?${query}`) },
]
