/** Berth's own back ends, beside those of a cloud that was pulled. */
import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { ShareClient } from './share-client.fixture.ts'

let client: ShareClient
beforeEach(async () => {
  client = await ShareClient.start()
  const rows = [
    {
      table: 'share_backends',
      row: {
        backend: 'manila@big',
        availability_zone: 'nova',
        is_disabled: 0,
        disabled_reason: null,
        capabilities: '{}',
      },
    },
    {
      table: 'share_pools',
      row: {
        pool: 'manila@big#p',
        backend: 'manila@big',
        total_gb: 10_000,
        reserved_gb: 0,
        reserved_percentage: 0,
        over_subscription: 1,
        capabilities: '{}',
      },
    },
  ]
  expect((await client.berth.ask('POST', '/v1/pull/prod', { body: { rows, removed: [] } })).status).toBe(200)
})
afterEach(() => client.berth.end())

test('a new share goes to a pool of Berth, however much room a pool of the cloud has', async () => {
  const id = await client.create()
  expect((await client.settled(id)).host).toMatch(/^farm@/)
  const { json } = await client.berth.ask('GET', `/v1/explain/share/${id}`)
  expect(json.explanation.pools.map(({ pool }: { pool: string }) => pool)).not.toContain('manila@big#p')
})

test('a new share has no valid host where only the cloud has room, and no 409', async () => {
  const id = await client.create({ size: 500 })
  expect(await client.settled(id)).toMatchObject({ status: 'error', host: '' })
})

test('a share of the cloud is explained with the pools of the cloud only', async () => {
  const uuid = randomUUID()
  const types = (await client.ask('GET', '/types')).json.share_types
  const row = {
    uuid,
    name: null,
    description: null,
    project_id: 'ops',
    user_id: 'u',
    size: 1,
    protocol: 'NFS',
    share_type: types[0].id,
    pool: 'manila@big#p',
    target_pool: null,
    status: 'available',
    task_state: null,
    is_public: 0,
    availability_zone: 'nova',
    snapshot: null,
    metadata: '{}',
    same_host: '',
    different_host: '',
    created_at: null,
  }
  const body = { rows: [{ table: 'shares', row }], removed: [] }
  expect((await client.berth.ask('POST', '/v1/pull/prod', { body })).json).toMatchObject({ created: 1 })
  const { json } = await client.berth.ask('GET', `/v1/explain/share/${uuid}`)
  expect(json.explanation.pools.map(({ pool }: { pool: string }) => pool)).toEqual(['manila@big#p'])
})
