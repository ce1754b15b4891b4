import { describe, expect, test } from 'vitest'
import { expectAccessible, stage, textOf } from './stage.ts'

const { server, open } = stage('--demo', '--auth', 'noauth2')

describe('why no host', () => {
  test('asks which flavor, then says where it would go', async () => {
    const page = await open('/why')
    await page.getByRole('heading', { name: 'What fits' }).waitFor()
    await expectAccessible(page)
    await page.getByRole('combobox', { name: 'Flavor' }).fill('m1.small')
    await page.getByRole('option', { name: 'm1.small' }).click()
    await expect
      .poll(() => textOf(page.getByRole('status').filter({ hasText: 'It would go to' })))
      .toMatch(/\d\d hosts of 60/)
    await expect.poll(() => new URL(page.url()).search).toBe('?flavor=m1.small')
    await expectAccessible(page)
  })

  test('no host: a funnel with counts, every refusal in words, and the smallest changes with links', async () => {
    const page = await open('/why?flavor=g1.whole&zone=b')
    await page.getByRole('alert').filter({ hasText: 'No host.' }).waitFor()
    const funnel = page.getByRole('list', { name: 'Funnel of trees' })
    await expect
      .poll(() => textOf(funnel.getByRole('listitem').first()))
      .toMatch(/1 of PGPU.*67 → 2 trees.*blocks/)
    const changes = page.getByRole('list', { name: 'Changes that would help' }).first()
    await expect.poll(() => textOf(changes)).toContain('Drop the zone b')
    await expectAccessible(page)
    await changes.getByRole('button', { name: 'Ask so' }).click()
    await page.getByRole('status').filter({ hasText: 'It would go to' }).waitFor()
  })

  test('what filters refuse is told in words, once for hosts that need the same, with links to what has to change', async () => {
    const specs = { extra_specs: { 'aggregate_instance_extra_specs:tier': 'unheard-of' } }
    const flavor = { name: 'picky', vcpus: 1, ram: 512, disk: 1, id: 'picky' }
    await server.ask('POST', '/compute/v2.1/flavors', { flavor })
    await server.ask('POST', '/compute/v2.1/flavors/picky/os-extra_specs', specs)
    const page = await open('/why?flavor=picky')
    await page.getByRole('alert').filter({ hasText: 'No host.' }).waitFor()
    const reasons = await textOf(page.getByRole('list', { name: 'Reasons' }))
    expect(reasons).toMatch(/hosts? (are|is|report)/)
    expect(reasons).not.toMatch(/ by [a-z-]+\.[a-z-]+|for 0 of them/)
    const changes = page.getByRole('list', { name: 'Changes that would help' }).first()
    await expect.poll(() => textOf(changes)).toMatch(/For any of \S+, \S+/)
    for (const change of await changes.getByRole('listitem').all())
      await expect
        .poll(() => change.getByRole('link').or(change.getByRole('button')).count())
        .toBeGreaterThan(0)
    await changes
      .getByRole('link', { name: /^Open .*/ })
      .first()
      .waitFor()
    await changes.getByRole('link', { name: 'Edit the flavor' }).first().waitFor()
    await expectAccessible(page)
  })

  test('hints, server group, image and a server that moves are asked as on the command line', async () => {
    type Scheduled = { placed: { instance: string; host: string }[] }
    const { placed } = await server.ask<Scheduled>('POST', '/v1/schedule', { flavor: 'm1.small' })
    const { instance, host } = placed[0] as { instance: string; host: string }
    const page = await open('/why?flavor=m1.small')
    await page.getByText('Server, group, hints, image').click()
    const away = page.getByRole('textbox', { name: 'Hint different_host' })
    await away.fill(instance)
    await away.press('Enter')
    await page.getByRole('combobox', { name: 'Host', exact: true }).fill(host)
    await page.getByRole('option', { name: host }).click()
    const changes = page.getByRole('list', { name: 'Changes that would help' }).first()
    const drop = changes.getByRole('listitem').filter({ hasText: 'Drop the hint different_host' })
    await drop.waitFor()
    await expectAccessible(page)
    await drop.getByRole('button', { name: 'Ask so' }).click()
    await page.getByRole('status').filter({ hasText: 'It would go to' }).waitFor()
    const image = page.getByRole('textbox', { name: 'Image properties' })
    await image.fill('hw_architecture=aarch64')
    await image.blur()
    await page.getByRole('alert').filter({ hasText: 'No host.' }).waitFor()
    await page.goto(`${server.url}/why?server=${instance}`)
    await page.getByRole('status').filter({ hasText: 'It would go to' }).waitFor()
    await page.getByRole('textbox', { name: 'Server that moves' }).fill('no uuid')
    await page.getByRole('textbox', { name: 'Server that moves' }).press('Enter')
    await page.getByText('This is no uuid.').waitFor()
  })

  test('the obvious change comes first, and hosts with the same reasons are one line', async () => {
    const page = await open('/why?flavor=v1.vault', { width: 360 })
    const changes = page.getByRole('list', { name: 'Changes that would help' }).first()
    await expect
      .poll(() => textOf(changes.getByRole('listitem').first()))
      .toContain('Set certification=pci-dss in the flavor: 8 hosts would do.')
    const hosts = page.getByRole('region', { name: 'Hosts' })
    await expect.poll(() => textOf(hosts.getByRole('group').first())).toMatch(/8 hosts.*refused/)
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360)
    await expectAccessible(page)
  })

  test('hosts are told one by one with their reasons', async () => {
    const page = await open('/why?flavor=g1.whole&host=gp-b1-02')
    const hosts = page.getByRole('region', { name: 'Hosts' })
    const host = hosts.getByRole('group').filter({ hasText: 'gp-b1-02' })
    await host.getByRole('strong').click()
    await host.getByRole('link', { name: 'Open gp-b1-02' }).waitFor()
    await expect.poll(() => textOf(host)).toMatch(/Placement.*gp-b1-02: .*PGPU needs 1/s)
    await expectAccessible(page)
  })

  test('a decision is kept, shown, listed and decided again', async () => {
    const page = await open('/why?flavor=m1.medium')
    await page.getByRole('button', { name: 'Keep as a decision' }).click()
    await page.getByRole('heading', { name: 'Decision', level: 1 }).waitFor()
    await page.getByRole('button', { name: 'Replay' }).click()
    await page.getByRole('status').filter({ hasText: 'Same result.' }).waitFor()
    await expectAccessible(page)
    await page
      .getByRole('navigation', { name: 'Above this page' })
      .getByRole('link', { name: 'Decisions' })
      .click()
    await page.getByRole('grid', { name: 'Decisions' }).getByRole('link').first().waitFor()
    await expect.poll(() => textOf(page.getByRole('grid', { name: 'Decisions' }))).toContain('dry-run')
    await expectAccessible(page)
  })

  test('a boot of Nova is found by its request id, with its stages and what would help', async () => {
    const request = 'req-00000000-0000-4000-9000-000000000001'
    await fetch(`${server.url}/placement/allocation_candidates?resources=VCPU:9999`, {
      headers: {
        'x-auth-token': 'admin',
        'openstack-api-version': 'placement 1.36',
        'x-openstack-request-id': request,
      },
    })
    const page = await open('/decisions')
    const find = page.getByRole('textbox', { name: 'Find a boot of Nova by its request id or server' })
    await find.fill(request)
    await find.press('Enter')
    await page.getByRole('heading', { name: 'Boot', level: 1 }).waitFor()
    await expect
      .poll(() => textOf(page.getByRole('region', { name: 'Placement was asked' })))
      .toContain('Placement found no candidate; blocked by 9999 of VCPU.')
    await expect
      .poll(() => textOf(page.getByRole('list', { name: 'Changes that would help' })))
      .toContain('of VCPU instead of 9999')
    await expectAccessible(page)
    await page.getByRole('link', { name: 'Open the decision' }).click()
    await page.getByRole('link', { name: 'All stages of this boot' }).waitFor()
    await expectAccessible(page)
  })

  test('one that found no host is kept too', async () => {
    const page = await open('/why?flavor=g1.whole&zone=b')
    await page.getByRole('button', { name: 'Keep as a decision' }).click()
    await page.getByRole('heading', { name: 'Decision', level: 1 }).waitFor()
    const outcome = await textOf(page.getByRole('region', { name: 'Outcome' }))
    expect(outcome).toContain('refused')
    expect(outcome).toMatch(/No host fits: /)
    expect(outcome).not.toContain('{')
  })
})
