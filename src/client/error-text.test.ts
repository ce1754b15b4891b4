import { expect, test } from 'vitest'
import { parseRefusal } from './error-text.ts'

const JSON_TYPE = 'application/json'

test("Placement's detail loses its generic sentence and keeps its code", () => {
  const error = {
    status: 409,
    title: 'Conflict',
    detail: 'There was a conflict when trying to complete your request.\n\n update conflict: VCPU in use.  ',
    code: 'placement.inventory.inuse',
    request_id: 'req-1',
  }
  expect(parseRefusal(409, JSON_TYPE, JSON.stringify({ errors: [error] }))).toMatchObject({
    status: 409,
    message: 'update conflict: VCPU in use.',
    code: 'placement.inventory.inuse',
    facts: { request_id: 'req-1' },
  })
})

test('a detail that is nothing but the generic sentence is kept', () => {
  const error = { detail: 'The resource could not be found.\n\n   ' }
  expect(parseRefusal(404, JSON_TYPE, JSON.stringify({ errors: [error] })).message).toBe(
    'The resource could not be found.',
  )
})

test('a problem document gives its detail, its code and its facts', () => {
  const body = JSON.stringify({
    title: 'Gone',
    status: 410,
    code: 'changes.trimmed',
    detail: 'Changes up to 40 were\ntrimmed.',
    oldest: 41,
  })
  expect(parseRefusal(410, 'application/problem+json', body)).toMatchObject({
    message: 'Changes up to 40 were trimmed.',
    code: 'changes.trimmed',
    facts: { oldest: 41 },
  })
})

test("the markup of WebOb's own errors is left out", () => {
  const body = JSON.stringify({
    message: 'A sentence.<br /><br />\nAuthentication required\n\n',
    title: 'Unauthorized',
  })
  expect(parseRefusal(401, JSON_TYPE, body).message).toBe('Authentication required')
})

test.each([
  ['text/html', '<html>no</html>'],
  [JSON_TYPE, 'not JSON'],
  [JSON_TYPE, 'null'],
  [JSON_TYPE, '{"errors": []}'],
  [null, ''],
])('%s with %j is told by its status', (type, body) => {
  expect(parseRefusal(502, type, body)).toMatchObject({
    message: 'the server answered with status 502',
    code: null,
  })
})

test('a long message is cut', () => {
  const body = JSON.stringify({ detail: 'x'.repeat(1_000_000) })
  expect(parseRefusal(400, JSON_TYPE, body).message.length).toBeLessThan(3_000)
})
