import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, describe, expect, test } from 'vitest'
import { StaticFiles } from './static-files.ts'
import { ask, toyServer } from './toy-service.fixture.ts'

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'
const directory = mkdtempSync(join(tmpdir(), 'berth-site-'))
mkdirSync(join(directory, 'assets'))
writeFileSync(
  join(directory, 'index.html'),
  '<meta name="nonce" content="%NONCE%"><script src="/assets/a.js">',
)
writeFileSync(join(directory, 'assets/a.js'), 'run()')
writeFileSync(join(directory, 'assets/a.js.gz'), gzipSync('run()'))
writeFileSync(join(directory, 'icon.svg'), '<svg/>')
afterAll(() => rmSync(directory, { recursive: true }))

const { server } = toyServer(['/placement'], {
  files: StaticFiles.open(directory, false),
  indexFacts: { auth: 'token' },
})
const get = (url: string, headers: Record<string, string> = {}) => ask(server, { url, headers })

describe('a site beside services', () => {
  test('the root is a page for browsers and a list of services for programs', async () => {
    const page = await get('/', { accept: BROWSER })
    expect(page.headers['content-type']).toBe('text/html; charset=utf-8')
    expect(page.headers.vary).toBe('accept')
    for (const accept of ['*/*', 'application/json', 'application/json, text/html']) {
      const list = await get('/', { accept })
      expect(list.json(), accept).toMatchObject({ auth: 'token', services: [{ name: 'toy' }] })
      expect(list.headers.vary, accept).toBe('accept')
    }
    expect((await get('/')).json().services).toHaveLength(1)
  })

  test('a path that no service has is the page for browsers, so that every view has an address', async () => {
    expect((await get('/providers/1?class=VCPU', { accept: BROWSER })).payload).toContain('/assets/a.js')
    expect((await get('/providers/1', { accept: 'application/json' })).statusCode).toBe(404)
    expect((await get('/providers/1')).statusCode).toBe(404)
  })

  test('services come before static files, for every client', async () => {
    expect((await get('/placement', { accept: BROWSER })).json()).toEqual({ toy: true })
    expect((await get('/healthz', { accept: BROWSER })).json()).toEqual({ alive: true })
  })

  test('only files that are there are served, and nothing is written to', async () => {
    for (const url of [
      '/assets/../index.html',
      '/assets/%2e%2e/index.html',
      '/assets/b.js',
      '/index.html.gz',
    ])
      expect((await get(url)).statusCode, url).toBe(404)
    const written = await ask(server, { method: 'POST', url: '/x', headers: { accept: BROWSER } })
    expect(written.statusCode).toBe(404)
  })

  test('no script but those of the site runs, and each page has a word of its own for styles', async () => {
    const [one, other] = [await get('/', { accept: BROWSER }), await get('/', { accept: BROWSER })]
    const nonce = /content="([^"]+)"/.exec(one.payload)?.[1] as string
    const policy = String(one.headers['content-security-policy'])
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("script-src 'self';")
    expect(policy).toContain(`style-src 'self' 'nonce-${nonce}'`)
    expect(policy).not.toContain('unsafe')
    expect(other.payload).not.toContain(nonce)
    expect(one.headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'x-frame-options': 'DENY',
      'cache-control': 'no-store',
    })
  })

  test('files are small where the browser takes that, and kept by their name', async () => {
    const small = await get('/assets/a.js', { 'accept-encoding': 'gzip, br' })
    expect(small.headers).toMatchObject({
      'content-encoding': 'gzip',
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
    })
    expect(small.rawPayload).toEqual(gzipSync('run()'))
    expect((await get('/assets/a.js')).payload).toBe('run()')
    expect((await get('/icon.svg')).headers['cache-control']).toBe('no-cache')
  })
})

test('there is no site where none was built', () => {
  expect(StaticFiles.open(join(directory, 'nowhere'), false)).toBeNull()
  expect(StaticFiles.open(join(directory, 'assets'), false)).toBeNull()
})
