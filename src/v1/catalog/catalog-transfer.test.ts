import { afterAll, beforeAll, expect, test } from 'vitest'
import { Berth } from '../../../test/running-berth.ts'

let berth: Berth
beforeAll(async () => {
  berth = await Berth.start({ rbac: 'secure' })
})
afterAll(() => berth.end())

const as = (token: string) => ({ 'x-auth-token': token })
const send = (raw: string, query = '', headers: Record<string, string> = {}) =>
  berth.ask('POST', `/v1/catalog/import${query}`, { raw, headers })
const exported = (query = '', token = 'admin') =>
  berth.ask('GET', `/v1/catalog/export${query}`, { headers: as(token) })

const FILE = '{"namespace":"Acme","properties":{"p":{"title":"P","type":"number","minimum":0.50}}}'

test('a definition file is taken as it is, and exported as it was, with its digits', async () => {
  const answer = await send(FILE)
  expect(answer.json).toEqual({
    dry_run: false,
    namespaces: [
      {
        namespace: 'Acme',
        outcome: 'created',
        differences: [{ part: 'property', name: 'p', action: 'added' }],
      },
    ],
  })
  const { text, json } = await exported('?namespace=Acme')
  expect(text).toContain('"minimum":0.50')
  expect(json.definitions).toEqual([
    {
      namespace: 'Acme',
      visibility: 'private',
      protected: false,
      owner: 'admin',
      properties: { p: { title: 'P', type: 'number', minimum: 0.5 } },
    },
  ])
  expect((await send(text)).json.namespaces[0].outcome).toBe('unchanged')
})

test('several come in one commit, and a dry run is none', async () => {
  const revision = async () => (await berth.ask('GET', '/v1/fleet')).headers.get('berth-revision')
  const both = '{"definitions":[{"namespace":"one"},{"namespace":"two"}]}'
  const before = Number(await revision())
  expect((await send(both, '?dry_run=true')).json).toMatchObject({
    dry_run: true,
    namespaces: [{ outcome: 'created' }, { outcome: 'created' }],
  })
  expect(Number(await revision())).toBe(before)
  await send(both)
  expect(Number(await revision())).toBe(before + 1)
})

test.each([
  ['{', '', 400, 'request.invalid'],
  ['[]', '', 400, 'catalog.bad-definition'],
  ['7', '', 400, 'catalog.bad-definition'],
  ['{}', '', 400, 'catalog.bad-definition'],
  ['{"definitions":{}}', '', 400, 'request.invalid'],
  ['{"definitions":[],"more":1}', '', 400, 'request.invalid'],
  ['{"namespace":"x","properties":{"p":{}}}', '', 400, 'catalog.bad-definition'],
  ['{"namespace":"x","tags":[{"name":"t"},{"name":"t"}]}', '', 409, 'catalog.duplicate'],
  ['{"definitions":[{"namespace":"x"},{"namespace":"x"}]}', '', 409, 'catalog.defined-twice'],
  [FILE, '?merge=maybe', 400, 'request.invalid'],
  [FILE, '?colour=red', 400, 'request.invalid'],
  ['['.repeat(50_000) + ']'.repeat(50_000), '', 400, 'request.invalid'],
])('%.40s%s is refused', async (raw, query, status, code) => {
  const answer = await send(raw, query)
  expect(answer).toMatchObject({ status, json: { code } })
  expect((await exported('?namespace=x')).status).toBe(404)
})

test('the error names the line, and no line before it is kept', async () => {
  const { status, json } = await send(
    '{"definitions":[{"namespace":"good"},{"namespace":"bad","colour":"red"}]}',
  )
  expect(status).toBe(400)
  expect(json).toMatchObject({ definition: 2, namespace: 'bad' })
  expect((await exported('?namespace=good')).json.code).toBe('catalog.no-namespace')
})

test('a request with a key that is sent again has one effect and one answer', async () => {
  const key = { 'idempotency-key': 'k1' }
  const first = await send('{"namespace":"once"}', '', key)
  const again = await send('{"namespace":"once"}', '', key)
  expect(again.text).toBe(first.text)
  expect(again.headers.get('idempotent-replay')).toBe('true')
})

test('importing is for admins; exporting shows what the caller sees', async () => {
  await send('{"namespace":"open","visibility":"public"}')
  expect((await send(FILE, '', as('ann:alpha:reader'))).status).toBe(403)
  const seen = (await exported('', 'ann:alpha:reader')).json.definitions
  expect(seen.map((one: { namespace: string }) => one.namespace)).toEqual(['open'])
  expect((await exported('?namespace=Acme', 'ann:alpha:reader')).status).toBe(404)
  expect((await exported('', 'zoe:alpha:gardener')).status).toBe(403)
})

test("a namespace that names no owner becomes the caller's", async () => {
  const sent = [
    { namespace: 'mine' },
    { namespace: 'mine too', owner: '' },
    { namespace: 'theirs', owner: 'beta' },
  ]
  await send(JSON.stringify({ definitions: sent }), '', as('r:ops:admin'))
  const { definitions } = (await exported('?namespace=mine&namespace=mine%20too&namespace=theirs')).json
  expect(definitions.map((one: { owner: string }) => one.owner)).toEqual(['ops', 'ops', 'beta'])
})
