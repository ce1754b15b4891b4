import { afterEach, beforeEach, expect, test } from 'vitest'
import { Berth, uuid } from '../../../test/running-berth.ts'
import { THREE_HOSTS } from '../../../test/three-hosts.ts'
import type { ListedDecision } from '../../wire/decisions.ts'

const SMALL = { id: 'small', name: 'm1.small', vcpus: 1, ram: 512, disk: 1 }
const HUGE = { id: 'huge', name: 'm1.huge', vcpus: 64, ram: 512, disk: 1 }

let berth: Berth
beforeEach(async () => {
  berth = await Berth.start()
  await berth.ask('POST', '/v1/apply?owner=test', { body: { hosts: THREE_HOSTS, flavors: [SMALL, HUGE] } })
})
afterEach(() => berth.end())

const schedule = async (nth: number, flavor = 'm1.small', fields: object = {}): Promise<void> => {
  await berth.ask('POST', '/v1/schedule', { body: { flavor, instances: [uuid(nth)], ...fields } })
}
const page = async (query: string) => (await berth.ask('GET', `/v1/decisions?${query}`)).json
const list = async (query: string): Promise<ListedDecision[]> => (await page(query)).decisions
const found = async (query: string): Promise<string[]> =>
  (await list(query)).map(({ asked }) => asked.instances[0] as string)

test('who asked is told with the project and the user', async () => {
  await schedule(70, 'm1.small', { project_id: 'shop', user_id: 'joe' })
  const [first] = await list('')
  expect(first).toMatchObject({ project_id: 'shop', project_name: null, user_id: 'joe', user_name: null })
})

test('words are looked for in flavor, hosts, reason and user, all of them', async () => {
  await schedule(70, 'm1.small', { user_id: 'joe', host: 'beta' })
  await schedule(71, 'm1.huge')
  expect(await found('q=M1.SMALL')).toEqual([uuid(70)])
  expect(await found('q=joe%20beta')).toEqual([uuid(70)])
  expect(await found('q=joe%20alpha')).toEqual([])
  expect(await found('q=none%20has%20room')).toEqual([uuid(71)])
  expect(await found(`q=${uuid(71).slice(20)}`)).toEqual([uuid(71)])
})

test('a whole uuid finds its decisions, and the decision of that id', async () => {
  await schedule(70)
  await schedule(71)
  const [latest] = await list('')
  expect(await found(`q=${uuid(70)}`)).toEqual([uuid(70)])
  expect(await found(`q=${latest?.id}`)).toEqual([uuid(71)])
  expect(await found(`q=${uuid(99)}`)).toEqual([])
})

test('with a server or its uuid, the other filters still count', async () => {
  await schedule(70)
  await schedule(70, 'm1.huge')
  expect(await list(`instance=${uuid(70)}`)).toHaveLength(2)
  for (const about of [`instance=${uuid(70)}`, `q=${uuid(70)}`]) {
    expect((await list(`${about}&flavor=m1.huge`)).map(({ asked }) => asked.flavor)).toEqual(['m1.huge'])
    expect(await list(`${about}&flavor=m1.other`)).toEqual([])
    expect(await list(`${about}&since=2999-01-01T00:00:00Z`)).toEqual([])
  }
  expect(await list(`instance=${uuid(70)}&q=huge`)).toHaveLength(1)
})

test('pages about one server follow each other, whatever the filter leaves out', async () => {
  for (const flavor of ['m1.small', 'm1.huge', 'm1.huge', 'm1.huge', 'm1.small']) await schedule(70, flavor)
  const pages: ListedDecision[] = []
  let query = `instance=${uuid(70)}&flavor=m1.huge&limit=1`
  for (
    let next: string | null = '';
    next !== null;
    query = `${query.replace(/&marker.*/, '')}&marker=${next}`
  ) {
    const found = await page(query)
    pages.push(...found.decisions)
    next = found.next
  }
  expect(new Set(pages.map(({ id }) => id)).size).toBe(3)
})

test('a flavor and times narrow the list', async () => {
  await schedule(70)
  await schedule(71, 'm1.huge')
  expect(await found('flavor=m1.huge')).toEqual([uuid(71)])
  expect(await found('flavor=m1')).toEqual([])
  expect(await found('since=2999-01-01T00:00:00Z')).toEqual([])
  expect(await found('since=1h')).toHaveLength(2)
  expect(await found('until=2001-01-01T00:00:00Z')).toEqual([])
  expect(await found('since=2001-01-01T00:00:00Z&until=2999-01-01T00:00:00Z')).toHaveLength(2)
  expect(await page('since=yesterday')).toMatchObject({
    code: 'request.invalid',
    detail: 'since: yesterday is neither a time such as 2026-11-18T09:00:00Z nor a duration such as 12h.',
  })
})

test('pages follow each other without gaps, and the last one says so', async () => {
  for (const nth of [70, 71, 72]) await schedule(nth)
  const first = await page('limit=2')
  expect(first.decisions).toHaveLength(2)
  const second = await page(`limit=2&marker=${first.next}`)
  expect(second).toMatchObject({ next: null, searched_to: null })
  const all = [...first.decisions, ...second.decisions].map(({ asked }: ListedDecision) => asked.instances[0])
  expect(all.toSorted()).toEqual([70, 71, 72].map(uuid))
  const searched = await page('limit=1&q=m1.small')
  expect(searched.next).not.toBeNull()
  expect((await page(`q=m1.small&marker=${searched.next}`)).decisions).toHaveLength(2)
})
