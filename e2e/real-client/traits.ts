import assert from 'node:assert/strict'
import { type Story, uuid } from './story.ts'

export const traits: Story = async ({ at, claim }) => {
  const client = at('1.29')
  const provider = uuid(1)
  await client.json(`resource provider create traits-host --uuid ${provider}`)

  await claim('list has the standard traits', async () => {
    const names = await client.json('trait list')
    assert(names.some((row: { name: string }) => row.name === 'HW_CPU_X86_AVX2'))
  })

  await claim('a trait is created, shown, found by name and deleted', async () => {
    await client.quiet('trait create CUSTOM_E2E_TRAIT')
    assert.deepEqual(await client.json('trait show CUSTOM_E2E_TRAIT'), { name: 'CUSTOM_E2E_TRAIT' })
    assert.deepEqual(await client.json('trait list --name startswith:CUSTOM_E2E'), [
      { name: 'CUSTOM_E2E_TRAIT' },
    ])
    assert.deepEqual(await client.json('trait list --name in:CUSTOM_E2E_TRAIT,CUSTOM_NOT_THERE'), [
      { name: 'CUSTOM_E2E_TRAIT' },
    ])
    await client.quiet('trait delete CUSTOM_E2E_TRAIT')
    assert.match(await client.refused('trait show CUSTOM_E2E_TRAIT'), /HTTP 404/)
  })

  await claim('a provider gets traits, lists them, and only those are associated', async () => {
    await client.quiet('trait create CUSTOM_E2E_USED')
    const both = [{ name: 'HW_CPU_X86_AVX2' }, { name: 'CUSTOM_E2E_USED' }]
    const set = `resource provider trait set ${provider} --trait CUSTOM_E2E_USED --trait HW_CPU_X86_AVX2`
    assert.deepEqual(byName(await client.json(set)), byName(both))
    assert.deepEqual(byName(await client.json(`resource provider trait list ${provider}`)), byName(both))
    assert.deepEqual(await client.json('trait list --associated --name startswith:CUSTOM_E2E'), [
      { name: 'CUSTOM_E2E_USED' },
    ])
  })

  await claim('a trait in use is not deleted', async () => {
    assert.match(await client.refused('trait delete CUSTOM_E2E_USED'), /is in use.*HTTP 409/s)
  })

  await claim('an unknown trait is not set', async () => {
    assert.match(
      await client.refused(`resource provider trait set ${provider} --trait CUSTOM_NOT_THERE`),
      /CUSTOM_NOT_THERE.*HTTP 400/s,
    )
  })

  await claim('a provider loses its traits', async () => {
    await client.quiet(`resource provider trait delete ${provider}`)
    assert.deepEqual(await client.json(`resource provider trait list ${provider}`), [])
    await client.quiet('trait delete CUSTOM_E2E_USED')
  })

  await claim('a standard trait is not deleted', async () => {
    assert.match(
      await client.refused('trait delete HW_CPU_X86_AVX2'),
      /Cannot delete standard trait.*HTTP 400/s,
    )
  })

  await client.quiet(`resource provider delete ${provider}`)
}

const byName = (rows: readonly { name: string }[]) => [...rows].sort((a, b) => (a.name < b.name ? -1 : 1))
