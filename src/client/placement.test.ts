import { afterEach, expect, test } from 'vitest'
import { Answering, answerJson } from './answering.fixture.ts'
import { HttpClient } from './http.ts'
import { encodeQuery, findPlacement, Placement } from './placement.ts'

let server: Answering | null = null
afterEach(() => server?.stop())

const versions = (max: string) => ({ versions: [{ id: 'v1.0', min_version: '1.0', max_version: max }] })

async function found(answers: Readonly<Record<string, unknown>>) {
  server = await Answering.start(({ url }, response) =>
    answers[url] === undefined ? answerJson(response, 401, {}) : answerJson(response, 200, answers[url]),
  )
  return findPlacement(new HttpClient({ url: server.url, token: null }))
}

test('Placement is found under its mount', async () => {
  expect(await found({ '/placement/': versions('1.40'), '/': { services: [] } })).toEqual({
    mount: '/placement',
    minorMax: 40,
  })
})

test('Placement is found at the root', async () => {
  expect(await found({ '/': versions('1.39') })).toEqual({ mount: '', minorMax: 39 })
})

test('a server that is too old is told apart from one that has no Placement', async () => {
  await expect(found({ '/': versions('1.36') })).rejects.toThrow(
    'it speaks Placement up to 1.36, and 1.39 is needed',
  )
  server?.stop()
  await expect(found({ '/': { hello: 'world' } })).rejects.toThrow('it has no Placement API')
})

test('where a Placement that is shadowed is too old, Berth’s own ledger can still be read', async () => {
  server = await Answering.start(({ url, headers }, response) => {
    const isOwn = headers['x-berth-side'] === 'berth'
    if (url === '/') return answerJson(response, 200, versions(isOwn ? '1.40' : '1.36'))
    answerJson(response, url === '/traits' && isOwn ? 200 : 404, { traits: ['CUSTOM_A'] })
  })
  const http = new HttpClient({ url: server.url, token: null })
  const placement = new Placement(http, await findPlacement(http))
  expect(await placement.own.traits()).toEqual(['CUSTOM_A'])
  expect(server.asked.at(-1)).toMatchObject({ headers: { 'openstack-api-version': 'placement 1.40' } })
  await expect(placement.traits()).rejects.toThrow('it shadows an older Placement')
})

test('queries keep what Placement reads, and escape the rest', () => {
  expect(
    encodeQuery([
      ['required', 'in:A,!B'],
      ['name', 'a&b=ü c'],
    ]),
  ).toBe('required=in:A,!B&name=a%26b%3D%C3%BC%20c')
})
