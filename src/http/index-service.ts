import { type ApiAnswer, type ApiRequest, JSON_UTF8, type NoFeatures, type Route } from './api.ts'
import type { Service } from './service.ts'
import { type StaticFiles, wantsPage } from './static-files.ts'

interface IndexParts {
  /** As JSON. */
  readonly index: string
  /** Pages for browsers. Null: there are none. */
  readonly files: StaticFiles | null
}

/** What is at the root where no API is: the list of services for programs, the console for browsers. */
export function indexService({ index, files }: IndexParts): Service<NoFeatures> {
  const handle = ({ headers }: ApiRequest<NoFeatures>): ApiAnswer => {
    if (files !== null && wantsPage(headers.accept)) return files.page()
    const vary = files === null ? {} : { vary: 'accept' }
    return { status: 200, contentType: JSON_UTF8, headers: vary, body: index }
  }
  const routes = (['GET', 'HEAD'] as const).map(
    (method): Route<NoFeatures> => ({ method, path: '/', operation: null, handle }),
  )
  return {
    name: files === null ? 'index' : 'console',
    serviceType: 'index',
    versions: null,
    openPaths: 'all',
    // What is asked for here is for no API, so nothing is asked of its body.
    untypedBodies: true,
    routes,
    ...(files === null ? {} : { fallback: (request, path) => files.find(request, path) }),
  }
}
