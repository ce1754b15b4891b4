import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { expectAccessible, stage } from './stage.ts'

const { server, open } = stage('--demo', '--auth', 'noauth2')

const GPU_HOST = '/providers/6241b3d2-1428-50f4-aba5-a65e083305d1'
const SHARE = '/shares/85feddc3-168f-5990-9c05-ed87a1d9dd2f'
const NAMESPACE = '/catalog/namespaces/Berth%3A%3AAggregate%3A%3ARack'

const DIALOGS: readonly (readonly [path: string, button: string | RegExp, title: string | RegExp])[] = [
  ['/', 'Open the menu', 'Menu'],
  ['/', /^Find a server/, 'Find'],
  ['/flavors', 'New flavor', 'New flavor'],
  ['/flavors/FLAVOR', 'Delete', 'Delete g1.whole?'],
  ['/aggregates', 'New aggregate', 'New aggregate'],
  ['/aggregates/AGGREGATE', 'Delete', 'Delete bare?'],
  [GPU_HOST, 'Disable the host', 'Disable gpu-c2-02'],
  [SHARE, 'Edit', 'Edit shop-db-1'],
  [SHARE, 'Change size', 'Change the size of shop-db-1'],
  [SHARE, 'Reset state', 'Reset the state of shop-db-1'],
  [SHARE, 'Delete', 'Delete shop-db-1?'],
  [SHARE, 'Edit hints', 'Hints of shop-db-1'],
  [SHARE, 'Take a snapshot', 'Take a snapshot of shop-db-1'],
  [SHARE, 'Give access', 'Give access to shop-db-1'],
  ['/catalog', 'New namespace', 'New namespace'],
  [NAMESPACE, 'Edit', /^Edit|Rack/],
  [NAMESPACE, 'Delete', 'Delete Berth::Aggregate::Rack?'],
  [NAMESPACE, 'New property', /property/i],
]

const ids = new Map<string, string | number>()
let kept: Page | null = null

async function prepare(): Promise<Page> {
  type Flavors = { flavors: { id: string; name: string }[] }
  const { flavors } = await server.ask<Flavors>('GET', '/compute/v2.1/flavors')
  ids.set('FLAVOR', flavors.find(({ name }) => name === 'g1.whole')?.id ?? '')
  type Made = { aggregate: { id: number } }
  const { aggregate } = await server.ask<Made>('POST', '/compute/v2.1/os-aggregates', {
    aggregate: { name: 'bare' },
  })
  ids.set('AGGREGATE', aggregate.id)
  return open('/', { width: 360, stays: true })
}

test.each(DIALOGS)('on %s the dialog of the button %s', async (path, name, title) => {
  kept ??= await prepare()
  const page = kept
  await page.goto(server.url + path.replace(/FLAVOR|AGGREGATE/, one => String(ids.get(one))))
  const button = page.getByRole('button', { name, exact: true }).first()
  await button.focus()
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog', { name: title })
  await dialog.waitFor()
  await expectAccessible(page)
  const box = await dialog.boundingBox()
  expect((box?.x ?? -1) >= 0 && (box?.x ?? 0) + (box?.width ?? 0) <= 360).toBe(true)
  await expect.poll(() => dialog.evaluate(one => one.contains(document.activeElement))).toBe(true)
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  await expect.poll(() => button.evaluate(one => one === document.activeElement)).toBe(true)
})
