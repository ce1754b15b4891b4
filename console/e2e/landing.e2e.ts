import { describe, expect, test } from 'vitest'
import { expectAccessible, stage } from './stage.ts'

const { server, open } = stage('--auth', 'noauth2')

const cloud = (speed: string) => ({
  hosts: ['land-1', 'land-2'].map(name => ({
    name,
    inventories: { VCPU: { total: 2 }, MEMORY_MB: { total: 2048 } },
  })),
  flavors: [
    { name: 'land.fast', id: 'land-fast', vcpus: 1, ram: 256, disk: 0, extra_specs: { speed: 'high' } },
    { name: 'land.plain', id: 'land-plain', vcpus: 1, ram: 256, disk: 0 },
    { name: 'land.wide', id: 'land-wide', vcpus: 9, ram: 256, disk: 0 },
  ],
  aggregates: [{ name: 'land-ssd', metadata: { speed }, hosts: ['land-1'] }],
})
const apply = (speed: string) => server.ask('POST', '/v1/apply?owner=landing', cloud(speed))

const aggregateId = async () => {
  const { aggregates } = await server.ask<{ aggregates: { id: number; name: string }[] }>(
    'GET',
    '/compute/v2.1/os-aggregates',
  )
  return aggregates.find(({ name }) => name === 'land-ssd')?.id
}

describe('what may land where', () => {
  test('an aggregate and a host tell which flavors fit and which servers break their rules', async () => {
    await apply('high')
    await server.ask('POST', '/v1/schedule', { flavor: 'land-fast', count: 2 })
    const page = await open(`/aggregates/${await aggregateId()}`)
    const flavors = page.getByRole('table').filter({ hasText: 'Why not' })
    const row = (name: string) => flavors.getByRole('row').filter({ hasText: name })
    // Full for now; too big for ever.
    await expect.poll(() => row('land.fast').innerText()).toContain('not now')
    await expect.poll(() => row('land.wide').innerText()).toMatch(/forbidden[\s\S]*VCPU needs 9/)
    await page.getByText('Every server may be where it is.').waitFor()
    await expectAccessible(page)

    await apply('low')
    await page.reload()
    const servers = page.getByRole('table').filter({ hasText: 'What it breaks' })
    await expect.poll(() => servers.getByRole('row').count()).toBe(3)
    await expect
      .poll(() => servers.innerText())
      .toMatch(/land\.fast[\s\S]*AggregateInstanceTypeFilter[\s\S]*speed/)
    await expectAccessible(page)

    await servers.getByRole('link', { name: 'land-1' }).first().click()
    await page.getByRole('heading', { name: 'land-1' }).waitFor()
    await expect.poll(() => servers.getByRole('row').count()).toBe(3)
    await expect.poll(() => row('land.plain').innerText()).toContain('not now')
    await expectAccessible(page)
  })
})
