import { describe, expect, test } from 'vitest'
import { expectAccessible, stage, textOf } from './stage.ts'

const { server, open } = stage('--demo', '--auth', 'noauth2')

describe('the candidate explorer', () => {
  test('form and query string say the same, whichever is edited', async () => {
    const page = await open('/candidates')
    await expectAccessible(page)
    const text = page.getByRole('textbox', { name: 'Query string' })
    await page.getByRole('combobox', { name: 'Resource class 1 of Together' }).fill('VCPU')
    await page.getByRole('option', { name: 'VCPU', exact: true }).click()
    await page.getByRole('textbox', { name: 'Amount 1 of Together' }).fill('8')
    await page.getByRole('button', { name: 'Add a constraint' }).click()
    await page.getByRole('menuitem', { name: 'All of these traits' }).click()
    await page.getByRole('combobox', { name: 'All of these traits' }).fill('HW_CPU_X86_AVX512F')
    await page.keyboard.press('Enter')
    await expect.poll(() => text.inputValue()).toBe('resources=VCPU:8&required=HW_CPU_X86_AVX512F')
    await text.fill('resources=VCPU:8&required=!HW_CPU_X86_AVX2&resources1=PGPU:1')
    await page.getByRole('group', { name: 'Group 1' }).waitFor()
    await expect
      .poll(() => page.getByRole('combobox', { name: 'Resource class 1 of Group 1' }).inputValue())
      .toBe('PGPU')
    await page.getByRole('combobox', { name: 'None of these traits' }).waitFor()
    await expect
      .poll(() => decodeURIComponent(page.url()))
      .toContain('/candidates?resources=VCPU:8&required=!HW_CPU_X86_AVX2')
  })

  test('results are drawn in the tree with the groups they serve', async () => {
    const query =
      'resources_CPU=VCPU:8,MEMORY_MB:16384&resources_GPU=PGPU:1&resources_NET=SRIOV_NET_VF:1' +
      '&same_subtree=_CPU,_GPU,_NET&group_policy=none'
    const page = await open(`/candidates?${query}`)
    await page.getByRole('heading', { name: '2 candidates' }).waitFor()
    const tree = page.getByRole('tree', { name: 'Providers of the candidate' })
    await expect
      .poll(() => textOf(tree.getByRole('treeitem').filter({ hasText: '_GPU' })))
      .toContain('1 PGPU')
    await expect
      .poll(() => textOf(tree.getByRole('treeitem').filter({ hasText: '_CPU' })))
      .toContain('8 VCPU, 16 GiB')
    await expectAccessible(page)
    await page.getByRole('button', { name: /^gpu-c2-02/ }).click()
    await tree
      .getByRole('treeitem', { name: /^gpu-c2-02/ })
      .first()
      .waitFor()
    await expect.poll(() => page.url()).toMatch(/&candidate=[0-9a-f]{8}$/)
    await page.reload()
    await page.getByRole('button', { name: /^gpu-c2-02/, pressed: true }).waitFor()
    await expect.poll(() => page.getByRole('textbox', { name: 'Query string' }).inputValue()).toBe(query)
  })

  test('a suffix is taken over when it is whole, and only if no other group has it', async () => {
    const query = 'resources1=VCPU:1&resources2=PGPU:1&same_subtree=1,2&group_policy=none'
    const page = await open(`/candidates?${query}`)
    const text = page.getByRole('textbox', { name: 'Query string' })
    const suffix = page.getByRole('textbox', { name: 'Suffix of the group' }).nth(1)
    await suffix.fill('')
    await page.getByText('A group needs a suffix. It stays 2.').waitFor()
    await suffix.fill('1')
    await suffix.blur()
    await page.getByText('There is a group 1 already. It stays 2.').waitFor()
    await expect.poll(() => text.inputValue()).toBe(query)
    await expectAccessible(page)
    await suffix.fill('_GPU')
    await suffix.blur()
    await expect
      .poll(() => text.inputValue())
      .toBe('resources1=VCPU:1&resources_GPU=PGPU:1&same_subtree=1,_GPU&group_policy=none')
  })

  test('every list of a request has a field, and more can be added', async () => {
    const lists =
      'resources=VCPU:1&required=in:HW_CPU_X86_AVX,HW_CPU_X86_AVX2&required=in:HW_CPU_X86_SSE,HW_CPU_X86_MMX'
    const page = await open(`/candidates?${lists}&member_of=in:a,b&member_of=c&pony=yes`)
    const fields = page.getByRole('group', { name: 'Together' })
    await fields.getByRole('combobox', { name: 'Any of these traits, list 2' }).waitFor()
    await fields.getByRole('combobox', { name: 'In one of these aggregates, list 2' }).waitFor()
    await page.getByText('pony=yes', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'And any of these traits' }).click()
    await fields.getByRole('combobox', { name: 'Any of these traits, list 3' }).fill('HW_CPU_X86_SSE2')
    await page.keyboard.press('Enter')
    const text = page.getByRole('textbox', { name: 'Query string' })
    await expect.poll(() => text.inputValue()).toContain('&required=in:HW_CPU_X86_SSE2&')
    await page.keyboard.press('Escape')
    await expectAccessible(page)
    const subtrees = 'resources1=VCPU:1&resources2=VCPU:1&resources3=VCPU:1&group_policy=none'
    await text.fill(`${subtrees}&same_subtree=1,2&same_subtree=2,3`)
    await page.getByRole('combobox', { name: 'Same subtree, list 2' }).waitFor()
    await expect
      .poll(() => page.getByRole('combobox', { name: 'Resource class 1 of Together' }).count())
      .toBe(0)
  })

  test('can be taken along as curl, and as a command', async () => {
    const page = await open('/candidates?resources=VCPU:1&limit=2')
    await page.getByRole('heading', { name: 'The first 2 candidates' }).waitFor()
    const copied = async (name: string) => {
      await page.getByRole('button', { name }).click()
      return page.evaluate(() => navigator.clipboard.readText())
    }
    expect(await copied('Copy as curl')).toContain(
      `'${server.url}/placement/allocation_candidates?resources=VCPU:1&limit=2'`,
    )
    expect(await copied('Copy as berth')).toBe("berth candidates --query 'resources=VCPU:1&limit=2'")
    expect(await copied('Copy as openstack')).toContain('--resource=VCPU=1')
    await page.getByRole('textbox', { name: 'Query string' }).fill('resources=VCPU:1&root_required=A')
    const openstack = page.getByRole('button', { name: /^Copy as openstack/ })
    await expect.poll(() => openstack.textContent()).toContain('traits of the root')
    expect(await copied('Copy as berth')).toContain('&limit=50')
  })

  test('no candidate is explained, and what would help is one click away', async () => {
    const query = 'resources=VCPU:8,MEMORY_MB:32768,DISK_GB:80&member_of=c953fe61-054b-5c7f-aa53-f70be530c2c0'
    const page = await open(`/candidates?${query}`)
    const funnel = page.getByRole('list', { name: 'Funnel of trees' })
    await expect
      .poll(() => textOf(funnel.getByRole('listitem').last()))
      .toMatch(/member of rack c1.*38 → 0 trees.*blocks/)
    const changes = page.getByRole('list', { name: 'Changes that would help' })
    await changes.getByRole('link', { name: 'Edit ceph-c' }).waitFor()
    const joining = changes
      .getByRole('listitem')
      .filter({ hasText: 'Add any of these to aggregate rack c1.' })
    await joining.getByRole('link', { name: 'Open rack c1' }).waitFor()
    await joining.getByRole('link', { name: 'st-a3-02' }).waitFor()
    await page.getByText('without it alone there would be a candidate').waitFor()
    await expect
      .poll(() => textOf(page.getByRole('list', { name: 'Nearest misses' })))
      .toContain('DISK_GB needs 80, has 60 free')
    await expectAccessible(page)
    await changes
      .getByRole('listitem')
      .filter({ hasText: 'Ask for 60 of DISK_GB' })
      .getByRole('button', { name: 'Ask so' })
      .click()
    await page.getByRole('heading', { name: /^\d+ candidates?/ }).waitFor()
    await expect.poll(() => decodeURIComponent(page.url())).toContain('DISK_GB:60')
  })

  test('a malformed query is refused in the words of the server', async () => {
    const page = await open('/candidates?resources=VCPU:0')
    await page.getByRole('alert').waitFor()
    await expect.poll(() => page.getByRole('alert').textContent()).toContain('HTTP 400')
    await expectAccessible(page)
  })
})
