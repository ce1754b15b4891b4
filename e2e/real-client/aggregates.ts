import assert from 'node:assert/strict'
import { type Story, uuid } from './story.ts'

const host = uuid(30)
const [one, two] = [uuid(930), uuid(931)]

export const aggregates: Story = async ({ at, claim }) => {
  const client = at('1.29')
  await client.json(`resource provider create aggregates-host --uuid ${host}`)
  const list = async (version: string) =>
    (await at(version).json(`resource provider aggregate list ${host}`))
      .map((row: { uuid: string }) => row.uuid)
      .sort()

  await claim('1.1: aggregates are set without a generation', async () => {
    await at('1.1').json(`resource provider aggregate set ${host} --aggregate ${one}`)
    assert.deepEqual(await list('1.1'), [one])
  })

  await claim('1.19 and later: they are set at a generation', async () => {
    const { generation } = await client.json(`resource provider show ${host}`)
    const set = `resource provider aggregate set ${host} --aggregate ${one} --aggregate ${two} --generation ${generation}`
    assert.deepEqual((await client.json(set)).map((row: { uuid: string }) => row.uuid).sort(), [one, two])
    assert.deepEqual(await list('1.29'), [one, two])
    assert.equal((await client.json(`resource provider show ${host}`)).generation, generation + 1)
  })

  await claim('a stale generation is a conflict, and nothing is written', async () => {
    const refusal = await client.refused(
      `resource provider aggregate set ${host} --aggregate ${one} --generation 0`,
    )
    assert.match(refusal, /generation.*HTTP 409/s)
    assert.deepEqual(await list('1.29'), [one, two])
  })

  await claim('setting none removes all', async () => {
    const { generation } = await client.json(`resource provider show ${host}`)
    assert.deepEqual(
      await client.json(`resource provider aggregate set ${host} --generation ${generation}`),
      [],
    )
    assert.deepEqual(await list('1.39'), [])
  })

  await claim('an invalid uuid is refused', async () => {
    assert.match(
      await client.refused(`resource provider aggregate set ${host} --aggregate rack --generation 2`),
      /HTTP 400/,
    )
  })

  await client.quiet(`resource provider delete ${host}`)
}
