import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import { ownValue } from '../kernel/records.ts'
import { preferredOffer } from './request/accept.ts'
import type { Exchange } from './request/request-context.ts'
import { consoleHeadersOf } from './request/security-headers.ts'

/** Pages and files for browsers, beside the services: what the console is made of. */
export class Site {
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
  static in(directory: string, isTls: boolean): Site | null {
    try {
      const names = readdirSync(directory, { recursive: true, withFileTypes: true })
        .filter(entry => entry.isFile())
        .map(entry => join(entry.parentPath, entry.name).slice(join(directory, sep).length))
      const site = new Site(directory, new Set(names.map(name => `/${name.replaceAll(sep, '/')}`)), isTls)
      return site.#names.has(PAGE) ? site : null
    } catch {
      return null
    }
  }

  /** Answers a GET or HEAD for a file, or for any path by somebody who would rather have a page. False: not ours. */
  serve(exchange: Exchange, path: string): boolean {
    const { method, headers } = exchange.request
    if (method !== 'GET' && method !== 'HEAD') return false
    if (path !== PAGE && !path.endsWith('.gz') && this.#names.has(path)) {
      exchange.route = 'file'
      this.#sendFile(exchange, path)
      return true
    }
    if (!wantsPage(headers.accept)) return false
    exchange.route = 'page'
    this.#sendPage(exchange)
    return true
  }

  #sendFile(exchange: Exchange, path: string): void {
    const isSmall =
      /\bgzip\b/.test(String(exchange.request.headers['accept-encoding'])) && this.#names.has(`${path}.gz`)
    const headers = ['vary', 'accept-encoding', 'cache-control', cachingOf(path)]
    if (isSmall) headers.push('content-encoding', 'gzip')
    const bytes = this.#bytes(isSmall ? `${path}.gz` : path)
    exchange.send(200, headers, mediaTypeOf(path), [bytes], undefined, this.#safety(''))
  }

  /** Styles that scripts make need a word that only this answer knows; scripts come from files alone. */
  #sendPage(exchange: Exchange): void {
    const nonce = randomBytes(16).toString('base64')
    const page = this.#bytes(PAGE).toString('utf8').replaceAll('%NONCE%', nonce)
    const headers = ['cache-control', 'no-store', 'vary', 'accept']
    exchange.send(200, headers, 'text/html; charset=utf-8', page, undefined, this.#safety(nonce))
  }

  #safety(nonce: string): string[] {
    return Object.entries(consoleHeadersOf(this.#isTls, nonce)).flat()
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
