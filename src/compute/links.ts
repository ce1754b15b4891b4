import type { ComputeRequest } from './context.ts'

export const ROOT = '/v2.1'

interface Link {
  readonly rel: string
  readonly href: string
}

/** Where requests with the project in their path go on to. */
const rootOf = ({ params }: ComputeRequest): string =>
  params.project_id === undefined ? ROOT : `${ROOT}/${encodeURIComponent(params.project_id)}`

export const selfLink = (request: ComputeRequest, path: string): Link => ({
  rel: 'self',
  href: request.addressOf(`${rootOf(request)}/${path}`),
})

export const bookmarkLink = (request: ComputeRequest, path: string): Link => ({
  rel: 'bookmark',
  href: request.addressOf(`${rootOf(request).slice(ROOT.length)}/${path}`),
})

export const nextLink = (request: ComputeRequest, path: string): Link => ({
  rel: 'next',
  href: request.addressOf(`${rootOf(request)}/${path}`),
})
