import { describe, expect, test } from 'vitest'
import { expectAccessible, stage, textOf } from './stage.ts'

const { server, open } = stage('--demo', '--auth', 'noauth2')

interface Inventories {
  resource_provider_generation: number
  inventories: Record<string, Record<string, number>>
}

const uuidOf = async (name: string): Promise<string> => {
  type Found = { resource_providers: { uuid: string }[] }
  const found = await server.ask<Found>('GET', `/placement/resource_providers?name=${name}`)
  return found.resource_providers[0]?.uuid as string
}

/** Another client changes a number, with the generation of the moment. */
async function changeBehind(uuid: string, name: string, change: Record<string, number>): Promise<void> {
  const path = `/placement/resource_providers/${uuid}/inventories`
  const { resource_provider_generation, inventories } = await server.ask<Inventories>('GET', path)
  await server.ask('PUT', path, {
    resource_provider_generation,
    inventories: { ...inventories, [name]: { ...inventories[name], ...change } },
  })
}

describe('providers', () => {
  test('are listed, found by name, uuid and trait, and each is a link', async () => {
    const page = await open('/providers')
    const grid = page.getByRole('grid', { name: 'Providers' })
    await grid.waitFor()
    await expect.poll(() => grid.getAttribute('aria-rowcount')).toBe('68')
    await expectAccessible(page)
    // It has nothing itself; its NUMA nodes have.
    await expect
      .poll(() => grid.getByRole('row').filter({ hasText: 'gp-a1-05' }).innerText())
      .toMatch(/VCPU \d+ \/ 256 · Memory/)
    await page.getByRole('textbox', { name: 'Filter by name, uuid or trait' }).fill('CUSTOM_GPU_H100')
    await page.getByRole('radio', { name: 'All' }).focus()
    await page.keyboard.press('Space')
    await expect.poll(() => grid.getAttribute('aria-rowcount')).toBe('5')
    await grid.getByRole('link').first().click()
    await page.getByRole('heading', { name: /^gpu-c2-02_pci/, level: 1 }).waitFor()
  })

  test('can be reached by the tab key wherever the list is scrolled to', async () => {
    const page = await open('/providers')
    const grid = page.getByRole('grid', { name: 'Providers' })
    await grid.getByRole('row').nth(3).waitFor()
    const stops = grid.locator('[role=row][tabindex="0"]')
    await expect.poll(() => stops.count()).toBe(1)
    await page.mouse.move(700, 500)
    await page.mouse.wheel(0, 1_400)
    await expect.poll(async () => Number(await stops.getAttribute('data-row'))).toBeGreaterThan(5)
    await stops.focus()
    const at = Number(await stops.getAttribute('data-row'))
    await page.keyboard.press('ArrowDown')
    await expect.poll(() => stops.getAttribute('data-row')).toBe(String(at + 1))
  })

  test('the tree is walked with the keyboard; sharing providers are links', async () => {
    const page = await open(`/providers/${await uuidOf('gpu-c2-02')}`)
    const tree = page.getByRole('tree', { name: 'Tree of gpu-c2-02' })
    await tree.waitFor()
    await expect.poll(() => tree.getByRole('treeitem').count()).toBe(9)
    await expectAccessible(page)
    await tree.getByRole('treeitem', { selected: true }).focus()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowLeft')
    await expect.poll(() => tree.getByRole('treeitem').count()).toBe(6)
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'gpu-c2-02_numa0_ens1f0', level: 1 }).waitFor()
    await page.getByRole('link', { name: 'ceph-c' }).first().click()
    await page.getByRole('heading', { name: 'ceph-c', level: 1 }).waitFor()
    await page.getByRole('link', { name: 'gp-c1-01' }).first().waitFor()
  })

  test('inventories are edited; a refusal says why, and nothing is lost', async () => {
    const uuid = await uuidOf('gp-a1-01')
    const page = await open(`/providers/${uuid}`)
    await page.getByRole('button', { name: 'Edit inventories' }).click()
    await page.getByRole('textbox', { name: 'Reserved of MEMORY_MB' }).fill('99999999')
    await page.getByRole('button', { name: 'Save inventories' }).click()
    await page.getByRole('alert').waitFor()
    await expectAccessible(page)
    await page.getByRole('textbox', { name: 'Reserved of MEMORY_MB' }).fill('10240')
    await page.getByRole('textbox', { name: 'Ratio of VCPU' }).fill('3.5')
    await page.getByRole('button', { name: 'Save inventories' }).click()
    await page.getByRole('cell', { name: '10,240', exact: true }).waitFor()
    const { inventories } = await server.ask<Inventories>(
      'GET',
      `/placement/resource_providers/${uuid}/inventories`,
    )
    expect(inventories.MEMORY_MB).toMatchObject({ reserved: 10240, total: 262144 })
    expect(inventories.VCPU).toMatchObject({ allocation_ratio: 3.5 })
  })

  test('a conflict shows what changed meanwhile, and reapplying keeps both changes', async () => {
    const uuid = await uuidOf('gp-a1-02')
    const page = await open(`/providers/${uuid}`)
    await page.getByRole('button', { name: 'Edit inventories' }).click()
    await page.getByRole('textbox', { name: 'Reserved of VCPU' }).fill('2')
    await changeBehind(uuid, 'VCPU', { allocation_ratio: 2 })
    await changeBehind(uuid, 'MEMORY_MB', { reserved: 4096 })
    await page.getByRole('button', { name: 'Save inventories' }).click()
    await page.getByRole('status').filter({ hasText: 'Someone else changed this provider' }).waitFor()
    await expect
      .poll(() => textOf(page.getByRole('row', { name: /^VCPU allocation_ratio/ })))
      .toMatch(/4.*2.*not changed/)
    await expect
      .poll(() => textOf(page.getByRole('row', { name: /^MEMORY_MB reserved/ })))
      .toMatch(/8192.*4096/)
    await page
      .getByRole('button', { name: /^Save inventories.*Reapply or drop your change below first/ })
      .waitFor()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Reapply my changes' }).click()
    await page.getByRole('button', { name: 'Edit inventories' }).waitFor()
    const { inventories } = await server.ask<Inventories>(
      'GET',
      `/placement/resource_providers/${uuid}/inventories`,
    )
    expect(inventories.VCPU).toMatchObject({ reserved: 2, allocation_ratio: 2 })
    expect(inventories.MEMORY_MB).toMatchObject({ reserved: 4096 })
  })

  test('a conflict can also be left to the others', async () => {
    const uuid = await uuidOf('gp-a1-04')
    const page = await open(`/providers/${uuid}`)
    await page.getByRole('button', { name: 'Edit inventories' }).click()
    await page.getByRole('textbox', { name: 'Total of VCPU' }).fill('1000')
    await changeBehind(uuid, 'VCPU', { total: 50 })
    await page.getByRole('button', { name: 'Save inventories' }).click()
    await expect.poll(() => textOf(page.getByRole('row', { name: /^VCPU total/ }))).toMatch(/48.*50.*1000/)
    await page.getByRole('button', { name: 'Drop mine, keep theirs' }).click()
    await page.getByRole('cell', { name: '50', exact: true }).waitFor()
  })

  test('traits and aggregates are edited; new custom traits are made', async () => {
    const uuid = await uuidOf('gp-a1-05')
    const page = await open(`/providers/${uuid}`)
    await page.getByRole('button', { name: 'Edit traits' }).click()
    await page.getByRole('combobox', { name: 'Traits' }).fill('CUSTOM_WATER_COOLED')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Save traits' }).click()
    await page.getByRole('button', { name: 'Edit traits' }).waitFor()
    const { traits } = await server.ask<{ traits: string[] }>(
      'GET',
      `/placement/resource_providers/${uuid}/traits`,
    )
    expect(traits).toContain('CUSTOM_WATER_COOLED')
    await page.getByRole('button', { name: 'Edit aggregates' }).click()
    await page.getByRole('combobox', { name: 'Aggregates' }).fill('rack b3')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Save aggregates' }).click()
    await page.getByRole('link', { name: 'rack b3' }).waitFor()
  })

  test('a host is disabled with a reason, and enabled again', async () => {
    const page = await open(`/providers/${await uuidOf('gp-a1-06')}`)
    await page.getByRole('button', { name: 'Disable the host' }).click()
    await page.getByRole('textbox', { name: 'Reason' }).fill('fans')
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Disable', exact: true }).click()
    await page.getByRole('button', { name: 'Enable the host' }).click()
    await page.getByRole('button', { name: 'Disable the host' }).waitFor()
  })

  test('one that is gone says so', async () => {
    const page = await open('/providers/00000000-0000-4000-8000-000000000000')
    await page.getByRole('heading', { name: 'No such provider' }).waitFor()
    await expectAccessible(page)
  })
})
