import type { ShareApiRequest } from './context.ts'

export const ROOT = '/v2'

/** Where requests with the project in their path go on to. */
const rootOf = ({ params }: ShareApiRequest): string =>
  params.project_id === undefined ? ROOT : `${ROOT}/${encodeURIComponent(params.project_id)}`

export const linksOf = (request: ShareApiRequest, path: string) => [
  { rel: 'self', href: request.addressOf(`${rootOf(request)}/${path}`) },
  { rel: 'bookmark', href: request.addressOf(`${rootOf(request).slice(ROOT.length)}/${path}`) },
]

export const nextLink = (request: ShareApiRequest, path: string, query: string) => [
  { rel: 'next', href: request.addressOf(`${rootOf(request)}/${path}?${query}`) },
]
