import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import { ownValue } from '../kernel/records.ts'
import type { ApiAnswer, ApiRequest } from './api.ts'
import { preferredOffer } from './request/accept.ts'
import { pageSecurityHeaders } from './request/security-headers.ts'

type Asked = Pick<ApiRequest<unknown>, 'method' | 'headers'>

/** Pages and files for browsers, beside the services: what the console is made of. */
export class StaticFiles {
  readonly #directory: string
  readonly #isTls: boolean
  /** Every file there is, by its path in a URL. Nothing else is ever read. */
  readonly #names: ReadonlySet<string>
  readonly #read = new Map<string, Buffer>()

  private constructor(directory: string, names: ReadonlySet<string>, isTls: boolean) {
    this.#directory = directory
    this.#isTls = isTls
    this.#names = names
  }

  /** Null where nothing was built. */
  static in(directory: string, isTls: boolean): StaticFiles | null {
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

  /** A file, or the page for any path by somebody who would rather have a page. Null: not ours. */
  find({ method, headers }: Asked, path: string): ApiAnswer | null {
    if (method !== 'GET' && method !== 'HEAD') return null
    if (path !== PAGE && !path.endsWith('.gz') && this.#names.has(path)) return this.#file(headers, path)
    return wantsPage(headers.accept) ? this.page() : null
  }

  #file(headers: Asked['headers'], path: string): ApiAnswer {
    const isSmall = /\bgzip\b/.test(String(headers['accept-encoding'])) && this.#names.has(`${path}.gz`)
    return {
      status: 200,
      route: 'file',
      headers: {
        vary: 'accept-encoding',
        'cache-control': cachingOf(path),
        ...(isSmall ? { 'content-encoding': 'gzip' } : {}),
      },
      contentType: mediaTypeOf(path),
      body: [this.#bytes(isSmall ? `${path}.gz` : path)],
      isEncoded: true,
      securityHeaders: this.#securityHeaders(''),
    }
  }

  /** Styles that scripts make need a word that only this answer knows; scripts come from files alone. */
  page(): ApiAnswer {
    const nonce = randomBytes(16).toString('base64')
    return {
      status: 200,
      route: 'page',
      headers: { 'cache-control': 'no-store', vary: 'accept' },
      contentType: 'text/html; charset=utf-8',
      body: this.#bytes(PAGE).toString('utf8').replaceAll('%NONCE%', nonce),
      securityHeaders: this.#securityHeaders(nonce),
    }
  }

  #securityHeaders(nonce: string): string[] {
    return Object.entries(pageSecurityHeaders(this.#isTls, nonce)).flat()
  }

  #bytes(path: string): Buffer {
    const known = this.#read.get(path)
    if (known !== undefined) return known
    const bytes = readFileSync(join(this.#directory, path))
    this.#read.set(path, bytes)
    return bytes
  }
}

const PAGE = '/index.html'

/** Browsers name text/html; programs ask for JSON, for anything, or say nothing. */
export function wantsPage(accept: string | undefined): boolean {
  return accept !== undefined && preferredOffer(accept, ['application/json', 'text/html']) === 'text/html'
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

const mediaTypeOf = (path: string): string =>
  ownValue(MEDIA_TYPES, path.slice(path.lastIndexOf('.') + 1)) ?? 'application/octet-stream'

/** The names of assets change with what is in them. */
const cachingOf = (path: string): string =>
  path.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache'
