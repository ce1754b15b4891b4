import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Berth } from '../../test/running-berth.ts'
import { parseTraitNames } from '../kernel/standard-names.ts'
import standardTraits from './data/standard-traits.json' with { type: 'json' }

let berth: Berth
let file: string
beforeAll(async () => {
  file = join(await mkdtemp(join(tmpdir(), 'berth-traits-')), 'traits.txt')
  await writeFile(file, '# of next year\nHW_FROM_FILE\nHW_FROM_FILE\nHW_CPU_X86_AVX2\n')
  berth = await Berth.start({ standard_traits_file: file })
})
afterAll(() => berth.end())

const UUID = '4e0a1b2c-0000-4000-8000-000000000001'

const setTraits = async (traits: readonly string[]) => {
  const { json } = await berth.ask('GET', `/resource_providers/${UUID}`, { minor: 39 })
  return berth.ask('PUT', `/resource_providers/${UUID}/traits`, {
    minor: 39,
    body: { traits, resource_provider_generation: json.generation },
  })
}

test('every standard trait can be reported by a compute node', async () => {
  await berth.ask('POST', `/resource_providers`, {
    minor: 39,
    body: { name: 'host', uuid: UUID },
  })
  expect(standardTraits).toHaveLength(377)
  expect(standardTraits).toContain('COMPUTE_ADDRESS_SPACE_EMULATED')
  const set = await setTraits(standardTraits)
  expect([set.status, new Set(set.json.traits)]).toEqual([200, new Set(standardTraits)])
})

test('traits of standard_traits_file are there from the start, also one that is named twice', async () => {
  expect((await setTraits(['HW_FROM_FILE'])).status).toBe(200)
})

test('an unknown standard trait is refused with the command that teaches it', async () => {
  const set = await setTraits(['HW_OF_TOMORROW', 'CUSTOM_NONE'])
  expect(set.status).toBe(400)
  expect(set.text).toContain('No such trait HW_OF_TOMORROW, CUSTOM_NONE (Berth does not know the standard')
  expect(set.text).toContain('trait HW_OF_TOMORROW: put')
  expect(set.text).toContain('berth trait learn FILE')
  const made = await berth.ask('PUT', `/traits/HW_OF_TOMORROW`, { minor: 39 })
  expect([made.status, made.text.includes('berth trait learn FILE')]).toEqual([400, true])
  // An existing trait needs no advice to learn it.
  const known = await berth.ask('PUT', `/traits/HW_CPU_X86_AVX2`, { minor: 39 })
  expect([known.status, known.text.includes('berth trait learn')]).toEqual([400, false])
})

test('a trait that was taught can be set, asked for in a flavor, and not deleted', async () => {
  const traits = ['HW_TAUGHT', 'HW_CPU_X86_AVX2']
  const taught = await berth.ask('POST', '/v1/standard-traits', { body: { traits } })
  expect([taught.status, taught.json]).toEqual([200, { added: ['HW_TAUGHT'] }])
  expect((await setTraits(['HW_TAUGHT'])).status).toBe(200)
  expect((await berth.ask('DELETE', `/traits/HW_TAUGHT`, { minor: 39 })).status).toBe(400)
  const post = (path: string, body: object) =>
    fetch(`${berth.server.url}/compute/v2.1${path}`, {
      method: 'POST',
      headers: {
        'x-auth-token': 'admin',
        'content-type': 'application/json',
        'openstack-api-version': 'compute 2.86',
      },
      body: JSON.stringify(body),
    })
  await post('/flavors', { flavor: { name: 'taught', ram: 1, vcpus: 1, disk: 1, id: 'taught' } })
  const specs = async (name: string) =>
    (await post('/flavors/taught/os-extra_specs', { extra_specs: { [`trait:${name}`]: 'required' } })).status
  expect([await specs('HW_TAUGHT'), await specs('HW_NEVER_TAUGHT')]).toEqual([200, 400])
})

test.each([
  ['CUSTOM_X', 400],
  ['lower_case', 400],
  ['', 400],
])('%j is not taught as a standard trait', async (name, status) => {
  expect((await berth.ask('POST', '/v1/standard-traits', { body: { traits: [name] } })).status).toBe(status)
})

test('a file of names is a JSON array or lines with remarks', () => {
  expect(parseTraitNames('["HW_A", "HW_B"]')).toEqual(['HW_A', 'HW_B'])
  expect(parseTraitNames('# new ones\nHW_A\n\n  HW_B # why\r\n')).toEqual(['HW_A', 'HW_B'])
  expect(parseTraitNames('[1]')).toEqual({ fault: 'it is not a JSON array of strings' })
  expect(parseTraitNames('HW_A\nCUSTOM_B')).toMatchObject({ fault: expect.stringContaining('"CUSTOM_B"') })
})
