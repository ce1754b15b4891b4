import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Berth } from '../../../test/running-berth.ts'

let berth: Berth
beforeAll(async () => {
  berth = await Berth.start()
})
afterAll(() => berth.end())

const ask = (what: string, body: unknown, headers: Record<string, string> = {}) =>
  berth.ask('POST', `/v1/operators/${what}`, { body, headers })

describe('match', () => {
  test('judges a batch in order, and says why where values cannot be compared', async () => {
    const { status, json } = await ask('match', {
      dialect: 'nova',
      items: [
        { value: '5', requirement: '>= 4' },
        { value: ['aes', 'vme'], requirement: '<all-in> aes vme' },
        { value: null, requirement: 's!= x' },
        { value: 'four', requirement: '>= 4' },
      ],
    })
    expect(status).toBe(200)
    expect(json).toEqual({
      results: [
        { matches: true, error: null },
        { matches: true, error: null },
        { matches: false, error: null },
        { matches: false, error: '>= compares numbers, and the value "four" is not one' },
      ],
    })
  })

  test('the dialect decides', async () => {
    const items = [{ value: true, requirement: '<is> Yes' }]
    expect((await ask('match', { dialect: 'manila', items })).json.results[0].matches).toBe(true)
    expect((await ask('match', { dialect: 'nova', items })).json.results[0].matches).toBe(false)
  })

  test('takes ten thousand questions at once, and not one more', async () => {
    const items = Array.from({ length: 10_000 }, (_, at) => ({ value: `${at}`, requirement: '>= 5000' }))
    const { json } = await ask('match', { dialect: 'nova', items })
    expect(json.results.filter((one: { matches: boolean }) => one.matches)).toHaveLength(5_000)
    const refused = await ask('match', { dialect: 'nova', items: [...items, items[0]] })
    expect(refused.status).toBe(413)
    expect(refused.json).toMatchObject({
      code: 'operators.too-many',
      field: 'items',
      count: 10_001,
      max: 10_000,
    })
  })

  test('a body of blanks takes no time', async () => {
    const value = `1${' '.repeat(16_382)}1`
    const items = Array(30).fill({ value, requirement: '== 1' })
    const began = performance.now()
    const { json } = await ask('match', { dialect: 'nova', items })
    expect(json.results[0].matches).toBe(false)
    expect(performance.now() - began).toBeLessThan(5_000)
  })

  test.each([
    [
      'match',
      { items: [{ value: 'a', requirement: 'x'.repeat(16_385) }] },
      'items.0.requirement: has 16385 ch',
    ],
    ['match', { items: [{ value: Array(10_001).fill(0), requirement: 'x' }] }, 'items.0.value'],
    [
      'parse',
      { texts: ['x'.repeat(16_385)] },
      'texts.0: has 16385 characters, and at most 16384 are allowed',
    ],
    [
      'format',
      { forms: [{ kind: 'operator', operator: '<or>', operands: Array(1_001).fill('a') }] },
      'forms.0.operands: has 1001 items, and at most 1000 are allowed',
    ],
  ])('%s: more than anybody writes is refused with both numbers', async (route, body, detail) => {
    const { status, json } = await ask(route, { dialect: 'nova', ...body })
    expect(status).toBe(400)
    expect(json.detail).toContain(detail)
    expect(json.detail.length).toBeLessThan(20_000)
  })

  test('a reader of a project may ask; others may not', async () => {
    const status = async (token: string) =>
      (await ask('match', { dialect: 'nova', items: [] }, { 'x-auth-token': token })).status
    expect(await status('u:p:reader')).toBe(200)
    expect(await status('u:p:nobody')).toBe(403)
    expect((await ask('match', { dialect: 'nova', items: [] }, { 'x-auth-token': '' })).status).toBe(401)
  })

  test.each([
    ['no body at all', undefined, ''],
    ['an unknown dialect', { dialect: 'cinder', items: [] }, 'dialect'],
    ['no questions', { dialect: 'nova' }, ''],
    ['a question without a requirement', { dialect: 'nova', items: [{ value: 'a' }] }, 'items.0'],
    [
      'a value that is an object',
      { dialect: 'nova', items: [{ value: {}, requirement: 'a' }] },
      'items.0.value',
    ],
    ['a list in a list', { dialect: 'nova', items: [{ value: [[]], requirement: 'a' }] }, 'items.0.value.0'],
    [
      'a requirement that is a number',
      { dialect: 'nova', items: [{ value: '4', requirement: 4 }] },
      'items.0.requirement',
    ],
  ])('%s is refused, and the field is named', async (_, body, field) => {
    const { status, json } = await ask('match', body)
    expect(status).toBe(400)
    expect(json).toMatchObject({ code: 'request.invalid', field })
  })
})

describe('parse and format', () => {
  test('a requirement comes apart, with what is ignored and what can match nothing', async () => {
    const { json } = await ask('parse', {
      dialect: 'nova',
      texts: ['<or> a or b', 's== a b', '>= x', 'plain'],
    })
    expect(json.results).toEqual([
      {
        form: { kind: 'operator', operator: '<or>', operands: ['a', 'b'] },
        text: '<or> a <or> b',
        ignored: [],
        repaired: false,
        warnings: [],
      },
      {
        form: { kind: 'operator', operator: 's==', operands: ['a'] },
        text: 's== a',
        ignored: ['b'],
        repaired: false,
        warnings: [],
      },
      {
        form: { kind: 'operator', operator: '>=', operands: ['x'] },
        text: '>= x',
        ignored: [],
        repaired: false,
        warnings: ['>= compares numbers, and "x" is not one: it matches nothing'],
      },
      {
        form: { kind: 'literal', text: 'plain' },
        text: 'plain',
        ignored: [],
        repaired: false,
        warnings: [],
      },
    ])
  })

  test('comma forms are repaired on request', async () => {
    const texts = ['<or> a,b', 'undefined a,b']
    const plain = await ask('parse', { dialect: 'nova', texts })
    expect(plain.json.results.map((one: { repaired: boolean }) => one.repaired)).toEqual([false, false])
    const { json } = await ask('parse', { dialect: 'nova', texts, repair: true })
    expect(json.results.map((one: { text: string }) => one.text)).toEqual(['<or> a <or> b', '<or> a <or> b'])
  })

  test('what was parsed is formatted to the same text', async () => {
    const texts = ['<all-in> aes vme', '<or> a <or> b', '>= 4', ' plain text ', '']
    const parsed = await ask('parse', { dialect: 'nova', texts })
    const forms = parsed.json.results.map((one: { form: unknown }) => one.form)
    const { json } = await ask('format', { dialect: 'nova', forms })
    expect(json.results.map((one: { text: string }) => one.text)).toEqual(texts)
  })

  test.each([
    [{ kind: 'operator', operator: '<or>', operands: ['a', 'b c'] }, 'forms.1.operands.1', 'b c'],
    [{ kind: 'operator', operator: '>', operands: ['4'] }, 'forms.1.operator', '>'],
    [{ kind: 'operator', operator: '>=', operands: ['4', '5'] }, 'forms.1.operands', ['4', '5']],
    [{ kind: 'literal', text: '>= 4' }, 'forms.1.text', '>= 4'],
    [{ kind: 'operator', operator: '>=' }, 'forms.1.operands', null],
    [{ kind: 'literal', text: 'a', operator: '>=' }, 'forms.1.operator', '>='],
  ])('%j has no text: 400 with field and value', async (form, field, value) => {
    const { status, json } = await ask('format', {
      dialect: 'nova',
      forms: [{ kind: 'literal', text: 'a' }, form],
    })
    expect(status).toBe(400)
    expect(json).toMatchObject({ code: 'operators.form', field, value })
    expect(json.detail).toContain(field)
  })

  test('a kind that there is not is refused by its name', async () => {
    const { status, json } = await ask('format', { dialect: 'nova', forms: [{ kind: 'range' }] })
    expect(status).toBe(400)
    expect(json).toMatchObject({ code: 'request.invalid', field: 'forms.0.kind' })
    expect(json.detail).toContain("'range'")
  })
})

test('the dialects are listed with their operators', async () => {
  const { json } = await berth.ask('GET', '/v1/operators')
  const [nova, manila] = json.dialects
  const symbols = (dialect: { operators: { symbol: string }[] }) => dialect.operators.map(one => one.symbol)
  expect(symbols(nova)).toContain('<all-in>')
  expect(symbols(nova)).not.toContain('<is>')
  const signs = (dialect: { sentinels: { symbol: string }[] }) => dialect.sentinels.map(one => one.symbol)
  expect([signs(nova), signs(manila)]).toEqual([['*', '~', '!'], []])
  expect(symbols(manila)).toContain('<is>')
  expect(manila.ignores_case).toBe(true)
  expect(nova.operators.find((one: { symbol: string }) => one.symbol === '=').meaning).toContain('at least')
})
