import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Berth, uuid } from '../../../test/running-berth.ts'
import { SmallCloud } from '../../../test/small-cloud.ts'
import { THREE_HOSTS } from '../../../test/three-hosts.ts'
import { MemoryStore } from '../../store/memory-store.fixture.ts'
import type { Store } from '../../store/store.ts'
import type { PlainQuery } from '../../store/tables/plain-tables.ts'
import type { Activity } from '../../wire/activity.ts'
import { insert } from '../../world/change.ts'
import { Turns } from '../api/in-turns.ts'
import { EVERYTHING } from '../fleet/feed-rights.ts'
import { readActivity } from './activity.ts'

let berth: Berth
beforeAll(async () => {
  berth = await Berth.start()
  const body = { hosts: THREE_HOSTS }
  expect((await berth.ask('POST', '/v1/apply?owner=test', { body })).status).toBe(200)
  for (const [nth, token] of [
    [70, 'nova'],
    [71, 'nova'],
    [72, 'joe'],
  ] as const)
    await claim(nth, uuid(1), token)
  await berth.ask('PUT', '/v1/hosts/beta', { body: { disabled_reason: 'new disks' } })
})
afterAll(() => berth?.end())

const claim = async (consumer: number, provider: string, user: string) => {
  const body = {
    allocations: { [provider]: { resources: { VCPU: 1 } } },
    consumer_generation: null,
    project_id: 'p',
    user_id: 'u',
  }
  const headers = { 'x-auth-token': `${user}:ops:admin` }
  const { status } = await berth.ask('PUT', `/allocations/${uuid(consumer)}`, { minor: 28, body, headers })
  expect(status).toBe(204)
}

async function read(query = ''): Promise<Activity> {
  const { status, json } = await berth.ask('GET', `/v1/activity${query}`)
  expect(status).toBe(200)
  return json
}

const told = ({ entries }: Activity) => entries.map(({ user, count, text }) => [user, count, text])

test('each change is told in words with its caller, and several of the same kind in a row together', async () => {
  const activity = await read('?limit=3')
  expect(told(activity)).toEqual([
    ['admin', 1, 'host beta disabled: new disks'],
    ['joe', 1, `consumer ${uuid(72)} placed on alpha: VCPU 1`],
    ['nova', 2, `consumer ${uuid(71)} placed on alpha: VCPU 1`],
  ])
  const [host, , nova] = activity.entries
  expect(host?.subjects).toEqual([{ name: 'beta', link: `/providers/${uuid(2)}` }])
  expect(nova).toMatchObject({
    command: 'placement:claim-allocations',
    subjects: [
      { name: uuid(71), link: `/servers/${uuid(71)}` },
      { name: 'alpha', link: `/providers/${uuid(1)}` },
    ],
  })
  expect((nova?.revision ?? 0) - (nova?.first_revision ?? 0)).toBe(1)
})

test('pages follow each other without a gap or a repetition, down to the first change', async () => {
  const pages: Activity[] = []
  let query = '?limit=1'
  for (;;) {
    const page = await read(query)
    pages.push(page)
    if (page.next === null) break
    query = `?limit=1&before=${page.next}`
  }
  const whole = await read('?limit=200')
  expect(pages.flatMap(told)).toEqual(told(whole))
  const revisions = whole.entries.flatMap(({ revision, first_revision }) => [revision, first_revision])
  expect(revisions).toEqual(revisions.toSorted((a, b) => b - a))
  expect(revisions.at(-1)).toBe(1)
  // What the server does itself has no caller.
  expect(whole.entries.some(({ user, command }) => user === null && command === null)).toBe(true)
})

describe('filters', () => {
  test('by caller and by words, in any case', async () => {
    expect(told(await read('?user=joe'))).toEqual([
      ['joe', 1, `consumer ${uuid(72)} placed on alpha: VCPU 1`],
    ])
    expect(told(await read('?about=New%20Disks'))).toEqual([['admin', 1, 'host beta disabled: new disks']])
    expect(await read('?user=nobody')).toMatchObject({ entries: [], next: null })
  })

  test('only what is newer than a revision, for those who ask again and again', async () => {
    const { revision } = await read('?limit=1')
    expect(await read(`?after=${revision}`)).toEqual({ entries: [], revision, next: null })
    expect(told(await read(`?after=${revision - 1}`))).toEqual([
      ['admin', 1, 'host beta disabled: new disks'],
    ])
  })

  test('a position that no answer had is refused', async () => {
    const { status, json } = await berth.ask('GET', '/v1/activity?before=soon')
    expect([status, json.code]).toEqual([400, 'activity.bad-position'])
    const { json: short } = await berth.ask('GET', '/v1/activity?about=x')
    expect(short.code).toBe('request.invalid')
  })
})

test('changes that are no longer kept are left out, and pages of few large changes leave none out', async () => {
  const oldestKept = 8
  const feed = {
    revision: 20,
    async readAfter(revision: number) {
      if (revision + 1 < oldestKept) return { kept: false, oldestKept } as const
      return { kept: true, changes: [makeChange(revision + 1)] } as const
    },
  }
  const found = await readActivity(
    {
      world: new SmallCloud().world,
      feed,
      store: new MemoryStore(),
      sight: EVERYTHING,
      nowMs: 1_000,
      turns: new Turns(),
    },
    { before: null, after: 0, limit: 200, user: null, about: null },
  )
  expect(found.next).toBeNull()
  expect(found.entries.map(({ revision }) => revision)).toEqual(
    Array.from({ length: 13 }, (_, nth) => 20 - nth),
  )
  expect(found.entries[0]?.text).toBe('trait CUSTOM_20 created')
})

test('the caller is found although the clock of another process is behind, and rows of other users are not searched', async () => {
  const at = new Map([
    [1, 9_000],
    [2, 5_000],
    [3, 9_001],
  ])
  const changes = [1, 2, 3].map(revision => ({ ...makeChange(revision), atMs: at.get(revision) as number }))
  const questions: PlainQuery<'audit_log'>[] = []
  const store = {
    async plainRows(_: string, question: PlainQuery<'audit_log'>) {
      questions.push(question)
      const rows = [...at].map(([revision, at_ms]) => ({
        id: `${revision}`,
        revision,
        at_ms,
        user: `u${revision}`,
      }))
      const [beforeMs] = question.after as readonly number[]
      return rows.filter(({ at_ms }) => at_ms < (beforeMs as number)).sort((a, b) => b.at_ms - a.at_ms)
    },
  } as unknown as Pick<Store, 'plainRows'>
  const feed = {
    revision: 3,
    readAfter: async (revision: number, limit: number) =>
      ({ kept: true, changes: changes.slice(revision, revision + limit) }) as const,
  }
  const sources = {
    world: new SmallCloud().world,
    feed,
    store,
    sight: EVERYTHING,
    nowMs: 9_999,
    turns: new Turns(),
  }
  const asked = { before: null, after: 0, limit: 2, user: null, about: null }
  const first = await readActivity(sources, asked)
  expect(first.entries.map(({ user }) => user)).toEqual(['u3', 'u2'])
  const second = await readActivity(sources, { ...asked, before: Number(first.next) })
  expect(second.entries.map(({ user }) => user)).toEqual(['u1'])
  expect((await readActivity(sources, { ...asked, user: 'u1' })).entries).toHaveLength(1)
  // No index has the users: with a seldom one the whole log would be read.
  expect(questions.every(({ where }) => where === undefined)).toBe(true)
})

const makeChange = (revision: number) => ({
  revision,
  chain: `${revision}`,
  batchId: `${revision}`,
  atMs: revision,
  names: {},
  change: { ops: [insert('traits', { id: revision, name: `CUSTOM_${revision}`, updated_at: revision })] },
})
