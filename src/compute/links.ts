import type { ComputeRequest } from './context.ts'

export const ROOT = '/v2.1'

interface Link {
  readonly rel: string
  readonly href: string
}

/** The root of links, with the project if the request has it. */
const makeRoot = ({ params }: ComputeRequest): string =>
  params.project_id === undefined ? ROOT : `${ROOT}/${encodeURIComponent(params.project_id)}`

export const selfLink = (request: ComputeRequest, path: string): Link => ({
  rel: 'self',
  href: request.addressOf(`${makeRoot(request)}/${path}`),
})

export const bookmarkLink = (request: ComputeRequest, path: string): Link => ({
  rel: 'bookmark',
  href: request.addressOf(`${makeRoot(request).slice(ROOT.length)}/${path}`),
})

export const nextLink = (request: ComputeRequest, path: string): Link => ({
  rel: 'next',
  href: request.addressOf(`${makeRoot(request)}/${path}`),
})
