import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import { ownValue } from '../kernel/records.ts'
import type { ApiAnswer, ApiRequest } from './api.ts'
import { choosePreferred } from './request/accept.ts'
import { pageSecurityHeaders } from './request/security-headers.ts'

type FileRequest = Pick<ApiRequest<unknown>, 'method' | 'headers'>

/** The pages and files of the console. */
export class StaticFiles {
  readonly #directory: string
  readonly #isTls: boolean
  /** All files by URL path. Nothing else is ever read. */
  readonly #names: ReadonlySet<string>
  readonly #read = new Map<string, Buffer>()

  private constructor(directory: string, names: ReadonlySet<string>, isTls: boolean) {
    this.#directory = directory
    this.#isTls = isTls
    this.#names = names
  }

  /** Null if the console was not built. */
  static open(directory: string, isTls: boolean): StaticFiles | null {
    try {
      const names = readdirSync(directory, { recursive: true, withFileTypes: true })
        .filter(entry => entry.isFile())
        .map(entry => join(entry.parentPath, entry.name).slice(join(directory, sep).length))
      const files = new StaticFiles(
        directory,
        new Set(names.map(name => `/${name.replaceAll(sep, '/')}`)),
        isTls,
      )
      return files.#names.has(PAGE) ? files : null
    } catch {
      return null
    }
  }

  /** A file, or the page for any path if the client prefers HTML. Null: neither. */
  find({ method, headers }: FileRequest, path: string): ApiAnswer | null {
    if (method !== 'GET' && method !== 'HEAD') return null
    if (path !== PAGE && !path.endsWith('.gz') && this.#names.has(path))
      return this.#answerFile(headers, path)
    return wantsPage(headers.accept) ? this.answerPage() : null
  }

  #answerFile(headers: FileRequest['headers'], path: string): ApiAnswer {
    const isSmall = /\bgzip\b/.test(String(headers['accept-encoding'])) && this.#names.has(`${path}.gz`)
    return {
      status: 200,
      route: 'file',
      headers: {
        vary: 'accept-encoding',
        'cache-control': chooseCaching(path),
        ...(isSmall ? { 'content-encoding': 'gzip' } : {}),
      },
      contentType: findMediaType(path),
      body: [this.#readBytes(isSmall ? `${path}.gz` : path)],
      isEncoded: true,
      securityHeaders: this.#securityHeaders(''),
    }
  }

  /** Styles that scripts create need a nonce of this answer; scripts come only from files. */
  answerPage(): ApiAnswer {
    const nonce = randomBytes(16).toString('base64')
    return {
      status: 200,
      route: 'page',
      headers: { 'cache-control': 'no-store', vary: 'accept' },
      contentType: 'text/html; charset=utf-8',
      body: this.#readBytes(PAGE).toString('utf8').replaceAll('%NONCE%', nonce),
      securityHeaders: this.#securityHeaders(nonce),
    }
  }

  #securityHeaders(nonce: string): string[] {
    return Object.entries(pageSecurityHeaders(this.#isTls, nonce)).flat()
  }

  #readBytes(path: string): Buffer {
    const known = this.#read.get(path)
    if (known !== undefined) return known
    const bytes = readFileSync(join(this.#directory, path))
    this.#read.set(path, bytes)
    return bytes
  }
}

const PAGE = '/index.html'

/** Browsers name text/html; programs ask for JSON, for anything, or send no header. */
export function wantsPage(accept: string | undefined): boolean {
  return accept !== undefined && choosePreferred(accept, ['application/json', 'text/html']) === 'text/html'
}

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  ico: 'image/x-icon',
  js: 'text/javascript; charset=utf-8',
  json: 'application/json',
  png: 'image/png',
  svg: 'image/svg+xml',
  txt: 'text/plain; charset=utf-8',
  woff2: 'font/woff2',
}

const findMediaType = (path: string): string =>
  ownValue(MEDIA_TYPES, path.slice(path.lastIndexOf('.') + 1)) ?? 'application/octet-stream'

/** Names of assets change with their content. */
const chooseCaching = (path: string): string =>
  path.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache'
