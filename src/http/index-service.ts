import { type ApiAnswer, type ApiRequest, JSON_UTF8, type NoFeatures, type Route } from './api.ts'
import type { Service } from './service.ts'
import { type StaticFiles, wantsPage } from './static-files.ts'

interface IndexParts {
  /** As JSON. */
  readonly index: string
  /** Pages for browsers. Null: none. */
  readonly files: StaticFiles | null
}

/** Serves the root: the list of services for programs, the console for browsers. */
export function indexService({ index, files }: IndexParts): Service<NoFeatures> {
  const handle = ({ headers }: ApiRequest<NoFeatures>): ApiAnswer => {
    if (files !== null && wantsPage(headers.accept)) return files.answerPage()
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
    // No API is here, so bodies are not checked.
    untypedBodies: true,
    routes,
    ...(files === null ? {} : { fallback: (request, path) => files.find(request, path) }),
  }
}
