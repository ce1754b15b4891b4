import assert from 'node:assert/strict'
import type { Story } from './story.ts'

export const classes: Story = async ({ at, claim }) => {
  const client = at('1.29')

  await claim('list has the standard classes first', async () => {
    const names = (await client.json('resource class list')).map((row: { name: string }) => row.name)
    assert.deepEqual(names.slice(0, 3), ['VCPU', 'MEMORY_MB', 'DISK_GB'])
  })

  await claim('a class is created, shown, listed and deleted', async () => {
    await client.quiet('resource class create CUSTOM_E2E')
    assert.deepEqual(await client.json('resource class show CUSTOM_E2E'), { name: 'CUSTOM_E2E' })
    assert(
      (await client.json('resource class list')).some((row: { name: string }) => row.name === 'CUSTOM_E2E'),
    )
    await client.quiet('resource class delete CUSTOM_E2E')
    assert.match(
      await client.refused('resource class show CUSTOM_E2E'),
      /No such resource class CUSTOM_E2E.*HTTP 404/s,
    )
  })

  await claim('set creates a class, and accepts an existing one', async () => {
    await client.quiet('resource class set CUSTOM_E2E_SET')
    await client.quiet('resource class set CUSTOM_E2E_SET')
    await client.quiet('resource class delete CUSTOM_E2E_SET')
  })

  await claim('a class that exists is not created again', async () => {
    await client.quiet('resource class create CUSTOM_E2E_TWICE')
    assert.match(await client.refused('resource class create CUSTOM_E2E_TWICE'), /already exists.*HTTP 409/s)
    await client.quiet('resource class delete CUSTOM_E2E_TWICE')
  })

  await claim('a standard class is not deleted', async () => {
    assert.match(
      await client.refused('resource class delete VCPU'),
      /Cannot delete standard resource class.*HTTP 400/s,
    )
  })

  await claim('a name without CUSTOM_ is refused', async () => {
    assert.match(await client.refused('resource class create E2E'), /HTTP 400/)
  })

  await claim('1.2 has classes', async () => {
    await at('1.2').quiet('resource class create CUSTOM_E2E_OLD')
    assert.deepEqual(await at('1.2').json('resource class show CUSTOM_E2E_OLD'), { name: 'CUSTOM_E2E_OLD' })
    await at('1.2').quiet('resource class delete CUSTOM_E2E_OLD')
  })
}
