import { afterAll, describe, expect, test } from 'vitest'
import { Berth } from '../../../test/running-berth.ts'

describe.each([null, 'placement'] as const)('with only = %s', only => {
  const started = Berth.start({ only })
  afterAll(async () => (await started).end())

  test.each([
    ['GET', '/v1/nothing', 404, 'route.unknown', null],
    ['DELETE', '/v1/fleet', 405, 'route.method', 'GET'],
    ['GET', '/v1/import', 405, 'route.method', 'POST'],
    ['PATCH', '/v1/nothing/here', 404, 'route.unknown', null],
    ['PROPFIND', '/v1/fleet', 405, 'route.method', 'GET'],
    ['M-SEARCH', '/v1/nothing', 404, 'route.unknown', null],
  ])('%s %s is %i, as a problem', async (method, path, status, code, allow) => {
    const answer = await (await started).ask(method, path)
    expect(answer.status).toBe(status)
    expect(answer.headers.get('content-type')).toContain('application/problem+json')
    expect(answer.json).toMatchObject({ status, code })
    expect(answer.headers.get('allow')).toBe(allow)
  })

  test('parameters that objects inherit are unknown like any other', async () => {
    const answer = await (await started).ask('GET', '/v1/fleet?__proto__=x')
    expect([answer.status, answer.json.field]).toEqual([400, '__proto__'])
  })
})

test('a path whose escapes spell nothing is a problem too', async () => {
  const berth = await Berth.start({})
  for (const path of ['/v1/%zz', '/v1/explain/%ff', '/v1/hosts/%']) {
    const answer = await berth.ask('GET', path)
    expect(answer.headers.get('content-type'), path).toContain('application/problem+json')
    expect(answer.json, path).toMatchObject({ status: 404 })
  }
  await berth.end()
})
