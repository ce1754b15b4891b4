import { describe, expect, test } from 'vitest'
import { expectAccessible, stage, textOf } from './stage.ts'

const { server, open } = stage('--demo', '--auth', 'noauth2')

const place = async (): Promise<{ instance: string; host: string; decision: string }> => {
  type Scheduled = { decision: string; placed: { instance: string; host: string }[] }
  const { decision, placed } = await server.ask<Scheduled>('POST', '/v1/schedule', { flavor: 'm1.small' })
  return { decision, ...(placed[0] as { instance: string; host: string }) }
}

describe('the page of a server', () => {
  test('is found by the beginning of its uuid, with the keyboard alone', async () => {
    const { instance, host } = await place()
    const page = await open('/')
    await page.keyboard.press('/')
    await page.getByRole('combobox', { name: /^Find a server/ }).waitFor()
    await page.keyboard.type(instance.slice(0, 13))
    await page.getByRole('option', { name: new RegExp(instance) }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Server', level: 1 }).waitFor()
    const where = page.getByRole('region', { name: 'Where it is' })
    await expect.poll(() => textOf(where)).toContain(host)
    await expect
      .poll(() => textOf(page.getByRole('region', { name: 'What it holds' })))
      .toContain('MEMORY_MB')
    await expectAccessible(page)
    await page.getByRole('region', { name: 'Decisions and moves' }).getByRole('link').first().click()
    await page.getByRole('heading', { name: 'Decision', level: 1 }).waitFor()
  })

  test('is one click from the consumers of a provider and from a decision', async () => {
    const { instance, decision } = await place()
    const page = await open(`/decisions/${decision}`)
    await page.getByRole('link', { name: instance }).first().click()
    await page.getByRole('heading', { name: 'Server', level: 1 }).waitFor()
    await page.getByRole('region', { name: 'Where it is' }).getByRole('link').first().click()
    await page.getByRole('region', { name: 'Consumers' }).getByRole('link', { name: instance }).click()
    await page.getByRole('heading', { name: 'Server', level: 1 }).waitFor()
  })

  test('one that is gone keeps its history', async () => {
    const { instance } = await place()
    await server.ask('DELETE', `/placement/allocations/${instance}`)
    const page = await open(`/servers/${instance}`)
    await page.getByRole('heading', { name: 'It has no allocations' }).waitFor()
    await page.getByRole('region', { name: 'Decisions and moves' }).getByRole('link').first().waitFor()
    await expectAccessible(page)
  })
})
