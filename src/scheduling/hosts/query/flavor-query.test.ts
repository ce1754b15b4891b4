import { describe, expect, test } from 'vitest'
import type { JsonValue } from '../../framework/json-value.ts'
import { DEFAULT_SETTINGS } from '../../framework/settings.ts'
import type { FlavorView } from '../request-view.ts'
import { flavor, image, request } from '../views.fixture.ts'
import { type FlavorQuery, translateFlavor } from './flavor-query.ts'
import { renderParameters, toCandidateRequest } from './placement-query.ts'

type Texts = Readonly<Record<string, string>>

interface Given {
  readonly sizes?: Partial<FlavorView>
  readonly properties?: Readonly<Record<string, JsonValue>>
  readonly isVolumeBacked?: boolean
  readonly translatePinning?: boolean
}

function asked(specs: Texts, given: Given = {}): FlavorQuery {
  const { sizes = {}, properties = {}, isVolumeBacked = false, translatePinning = true } = given
  return translateFlavor(
    request({ flavor: flavor(specs, sizes), image: image(properties), isVolumeBacked }),
    DEFAULT_SETTINGS,
    { translatePinning },
  )
}

/** The parameters without the limit. */
function parameters(specs: Texts, given: Given = {}): Record<string, string> {
  const answer = asked(specs, given)
  const all = answer.ok ? renderParameters(answer.query) : []
  return Object.fromEntries(all.filter(([key]) => key !== 'limit'))
}

const warnings = (specs: Texts) => {
  const answer = asked(specs)
  return answer.ok ? answer.warnings : null
}

const faults = (specs: Texts, properties: Readonly<Record<string, JsonValue>> = {}) => {
  const answer = asked(specs, { properties })
  return answer.ok ? null : answer.faults
}

const SIZES = 'DISK_GB:10,MEMORY_MB:512'

describe('sizes', () => {
  test('the flavor’s own, and the limit', () => {
    const answer = asked({})
    expect(answer.ok && renderParameters(answer.query)).toEqual([
      ['limit', '1000'],
      ['resources', `${SIZES},VCPU:2`],
    ])
  })

  test('disk is root, ephemeral and swap, rounded up; a volume stands for the root', () => {
    const sizes = { rootGb: 10, ephemeralGb: 3, swapMib: 1025 }
    expect(parameters({}, { sizes }).resources).toContain('DISK_GB:15,')
    expect(parameters({}, { sizes, isVolumeBacked: true }).resources).toContain('DISK_GB:5,')
    const none = { rootGb: 0, ephemeralGb: 0, swapMib: 0 }
    expect(parameters({}, { sizes: none }).resources).toBe('MEMORY_MB:512,VCPU:2')
  })

  test('a class that an extra spec names is not added, in whatever group it is', () => {
    expect(parameters({ 'resources:VCPU': '0' })).toEqual({ resources: SIZES })
    expect(parameters({ 'resources:PCPU': '1' })).toEqual({ resources: `${SIZES},PCPU:1` })
    expect(parameters({ resources_g: 'x', 'resources_g:MEMORY_MB': '1' })).toEqual({
      resources: 'DISK_GB:10,VCPU:2',
      resources_g: 'MEMORY_MB:1',
    })
  })
})

describe('resources and traits', () => {
  test('amounts are read as Python reads them, and stay exact', () => {
    for (const [text, amount] of [
      [' 3 ', '3'],
      ['1_0', '10'],
      ['\u0663', '3'],
      ['+2', '2'],
      ['99999999999999999999', '99999999999999999999'],
      ['\u0669\u0669\u06699_9999999999999999', '99999999999999999999'],
    ] as const)
      expect(parameters({ 'resources:CUSTOM_A': text }).resources).toContain(`CUSTOM_A:${amount},`)
  })

  test('what says nothing is ignored, with a warning', () => {
    expect(parameters({ 'resources:CUSTOM_A': '1.5', 'resources:NONSENSE': '1' })).toEqual({
      resources: `${SIZES},VCPU:2`,
    })
    expect(
      warnings({
        'resources:CUSTOM_A': '-1',
        'resources:vcpu': '1',
        'trait:HW_A': 'liked',
        'trait:HW_B': 'preferred',
        'trait1:HW_C': 'avoided',
        'trait:': 'required',
        'trait.A:HW_A': 'required',
        [`resources_${'x'.repeat(64)}:VCPU`]: '1',
        group_policy: 'both',
      }),
    ).toEqual([
      { code: 'bad-amount', key: 'resources:CUSTOM_A', value: '-1' },
      { code: 'unknown-class', key: 'resources:vcpu', value: '1' },
      { code: 'bad-trait-value', key: 'trait:HW_A', value: 'liked' },
      { code: 'no-trait-name', key: 'trait:', value: 'required' },
      { code: 'bad-suffix', key: 'trait.A:HW_A', value: 'required' },
      { code: 'bad-suffix', key: `resources_${'x'.repeat(64)}:VCPU`, value: '1' },
      { code: 'bad-group-policy', key: 'group_policy', value: 'both' },
    ])
  })

  test('required and forbidden traits, sorted, forbidden ones last', () => {
    expect(
      parameters({ 'trait:B': 'required', 'trait:A': 'forbidden', 'trait:C': 'required' }).required,
    ).toBe('B,C,!A')
  })

  test('groups by suffix, with a policy', () => {
    expect(
      parameters({
        'resources_GPU-1:VGPU': '1',
        'trait_GPU-1:CUSTOM_FAST': 'required',
        'resources2:VGPU': '2',
        group_policy: 'isolate',
      }),
    ).toEqual({
      group_policy: 'isolate',
      resources: `${SIZES},VCPU:2`,
      'resources_GPU-1': 'VGPU:1',
      'required_GPU-1': 'CUSTOM_FAST',
      resources2: 'VGPU:2',
    })
  })

  test('other keys are ignored', () => {
    expect(
      parameters({
        'resources.1:VGPU': '1',
        'xtrait:A': 'required',
        [`resources${'a'.repeat(65)}:VGPU`]: '1',
      }),
    ).toEqual({ resources: `${SIZES},VCPU:2` })
  })

  test('several groups without a policy, or traits without resources, will fail: a warning', () => {
    expect(warnings({ 'resources1:VGPU': '1', 'trait2:A': 'required' })).toEqual([
      { code: 'group-without-resources', suffix: '2' },
      { code: 'group-policy-missing', suffixes: ['1', '2'] },
    ])
    expect(warnings({ 'resources1:VGPU': '0', 'resources2:VGPU': '1' })).toEqual([])
  })

  test('a trait that the flavor forbids and the image requires is worth a warning', () => {
    const answer = asked({ 'trait:A': 'forbidden' }, { properties: { traits_required: ['A'] } })
    expect(answer.ok && answer.warnings).toEqual([{ code: 'trait-conflict', suffix: '', traits: ['A'] }])
  })

  test('traits of the image join the unsuffixed group', () => {
    expect(
      parameters({ 'trait:A': 'required' }, { properties: { traits_required: ['C', 'B'] } }).required,
    ).toBe('A,B,C')
  })
})

describe('any of several traits', () => {
  const groupOf = (specs: Texts) => {
    const answer = asked(specs)
    return answer.ok ? toCandidateRequest(answer.query).groups[0] : null
  }

  test('in:A,B asks for one of them; the name of the key only keeps it apart', () => {
    const specs = { 'trait:GPU': 'in:HW_B, HW_A', 'trait:NET': 'in:HW_C,HW_D', 'trait:HW_E': 'required' }
    const answer = asked(specs)
    expect(answer.ok && renderParameters(answer.query).filter(([key]) => key === 'required')).toEqual([
      ['required', 'HW_E'],
      ['required', 'in:HW_A,HW_B'],
      ['required', 'in:HW_C,HW_D'],
    ])
    expect(groupOf(specs)?.required).toEqual([['HW_E'], ['HW_B', 'HW_A'], ['HW_C', 'HW_D']])
  })

  test('in a group', () => {
    expect(parameters({ 'resources1:VGPU': '1', 'trait1:ANY': 'in:HW_A,HW_B' }).required1).toBe(
      'in:HW_A,HW_B',
    )
  })

  test('of one alone: that one is required', () => {
    expect(parameters({ 'trait:ANY': 'in:HW_A' }).required).toBe('HW_A')
  })

  test.each([
    ['in:', 'has an empty name after in:'],
    ['in:HW_A,', 'has an empty name after in:'],
    ['in:HW_A,!HW_B', 'cannot forbid HW_B after in:'],
    ['in:hw_a', 'has "hw_a" after in:, which is not the name of a trait'],
  ])('%j is refused with key and value', (value, fault) => {
    const bad = { code: 'bad-any-trait', from: 'flavor', value, fault }
    expect(faults({ 'trait:ANY': value })).toEqual([{ ...bad, key: 'trait:ANY' }])
    expect(faults({ 'resources_P1:VGPU': '1', 'trait_P1:ANY': value })).toEqual([
      { ...bad, key: 'trait_P1:ANY' },
    ])
  })

  test('another value is left out with a warning, as in Nova', () => {
    expect(warnings({ 'trait:ANY': 'IN:HW_A' })).toEqual([
      { code: 'bad-trait-value', key: 'trait:ANY', value: 'IN:HW_A' },
    ])
  })

  test('of an image: lists of names in its traits', () => {
    const answer = asked({}, { properties: { traits_required: ['HW_C', ['HW_A', 'HW_B']] } })
    const same = asked({ 'trait:HW_C': 'required', 'trait:ANY': 'in:HW_A,HW_B' })
    expect(answer.ok && same.ok && renderParameters(answer.query)).toEqual(
      same.ok && renderParameters(same.query),
    )
    for (const odd of ['HW_A', [1], [[]], { a: 1 }])
      expect(faults({}, { traits_required: odd })).toMatchObject([{ code: 'bad-any-trait', from: 'image' }])
  })
})

describe('pinned CPUs', () => {
  const four = { sizes: { vcpus: 4 } }
  const cpus = (specs: Texts, given: Given = four) =>
    parameters(specs, given).resources?.replace(`${SIZES},`, '')

  test('dedicated CPUs are PCPUs, one more where the emulator has its own', () => {
    expect(cpus({ 'hw:cpu_policy': 'dedicated' })).toBe('PCPU:4')
    expect(cpus({ 'hw:cpu_policy': 'dedicated', 'hw:emulator_threads_policy': 'isolate' })).toBe('PCPU:5')
    expect(cpus({ 'hw:cpu_policy': 'shared', 'hw:emulator_threads_policy': 'isolate' })).toBe('VCPU:4')
    expect(cpus({ 'hw:cpu_policy': 'dedicated' }, { ...four, translatePinning: false })).toBe('VCPU:4')
  })

  test('a mixed flavor has some of both, by its mask or by what runs in real time', () => {
    expect(cpus({ 'hw:cpu_policy': 'mixed', 'hw:cpu_dedicated_mask': '0-2,^1' })).toBe('PCPU:2,VCPU:2')
    expect(cpus({ 'hw:cpu_policy': 'mixed', 'hw:cpu_dedicated_mask': '^0' })).toBe('PCPU:3,VCPU:1')
    const realtime = { 'hw:cpu_policy': 'mixed', 'hw:cpu_realtime': 'yes' }
    expect(cpus({ ...realtime, 'hw:cpu_realtime_mask': '^0-1' })).toBe('PCPU:2,VCPU:2')
    const byImage = { ...four, properties: { hw_cpu_realtime_mask: '3' } }
    expect(cpus({ ...realtime, 'hw:cpu_realtime_mask': '^0-1' }, byImage)).toBe('PCPU:1,VCPU:3')
    expect(cpus({ 'hw:cpu_policy': 'mixed' })).toBe('VCPU:4')
  })

  test('threads are a trait', () => {
    expect(parameters({ 'hw:cpu_thread_policy': 'isolate' }).required).toBe('!HW_CPU_HYPERTHREADING')
    expect(parameters({}, { properties: { hw_cpu_thread_policy: 'require' } }).required).toBe(
      'HW_CPU_HYPERTHREADING',
    )
    const isolating = { properties: { hw_cpu_thread_policy: 'isolate' } }
    expect(parameters({ 'hw:cpu_thread_policy': 'prefer' }, isolating).required).toBeUndefined()
  })

  test('the image may ask where the flavor does not, and not for more than it gives', () => {
    const dedicated = { hw_cpu_policy: 'dedicated' }
    expect(cpus({}, { ...four, properties: dedicated })).toBe('PCPU:4')
    expect(cpus({ 'hw:cpu_policy': 'dedicated' }, { ...four, properties: { hw_cpu_policy: 'shared' } })).toBe(
      'PCPU:4',
    )
    const conflict = {
      code: 'conflict',
      flavor: { key: 'hw:cpu_policy', value: 'shared' },
      image: { key: 'hw_cpu_policy', value: 'dedicated' },
    }
    expect(faults({ 'hw:cpu_policy': 'shared' }, dedicated)).toEqual([conflict])
    expect(faults({ 'hw:cpu_policy': 'mixed' }, dedicated)).toMatchObject([{ code: 'conflict' }])
    const threads = { hw_cpu_thread_policy: 'require' }
    expect(faults({ 'hw:cpu_thread_policy': 'isolate' }, threads)).toMatchObject([{ code: 'conflict' }])
  })

  test('every word that is none is named, with those that are', () => {
    const specs = {
      'hw:cpu_policy': 'solid',
      'hw:cpu_thread_policy': 'silk',
      'hw:emulator_threads_policy': 'alone',
    }
    expect(faults(specs)).toEqual([
      {
        code: 'bad-value',
        from: 'flavor',
        key: 'hw:cpu_policy',
        value: 'solid',
        allowed: ['dedicated', 'shared', 'mixed'],
      },
      expect.objectContaining({ key: 'hw:cpu_thread_policy' }),
      expect.objectContaining({ key: 'hw:emulator_threads_policy' }),
    ])
    expect(asked(specs, { translatePinning: false }).ok).toBe(true)
  })

  test.each(['0-1', '2', '^0,^1', 'x', '0-', '1-0', '0-99999999999'])(
    'the mask %j cannot be had of two CPUs',
    mask => {
      expect(faults({ 'hw:cpu_policy': 'mixed', 'hw:cpu_dedicated_mask': mask })).toMatchObject([
        { code: 'bad-value', key: 'hw:cpu_dedicated_mask', value: mask },
      ])
    },
  )

  test('real time for every CPU takes a place for the emulator', () => {
    const realtime = { 'hw:cpu_policy': 'mixed', 'hw:cpu_realtime': 'true' }
    expect(faults(realtime)).toMatchObject([{ key: 'hw:cpu_realtime_mask' }])
    expect(cpus({ ...realtime, 'hw:emulator_threads_policy': 'isolate' })).toBe('PCPU:5')
  })
})

describe('other hardware', () => {
  const uefi = { properties: { hw_firmware_type: 'uefi', hw_machine_type: 'pc-q35-7.2' } }

  test('persistent memory: a class for each size, counted', () => {
    expect(parameters({ 'hw:pmem': '4GB, 16gb,4GB,' }).resources).toBe(
      `CUSTOM_PMEM_NAMESPACE_16GB:1,CUSTOM_PMEM_NAMESPACE_4GB:2,${SIZES},VCPU:2`,
    )
  })

  test('words that are traits', () => {
    expect(parameters({ 'os:secure_boot': 'required' }).required).toBe('COMPUTE_SECURITY_UEFI_SECURE_BOOT')
    expect(parameters({ 'os:secure_boot': 'optional' }).required).toBeUndefined()
    expect(parameters({ 'hw:pci_numa_affinity_policy': 'socket' }).required).toBe(
      'COMPUTE_SOCKET_PCI_NUMA_AFFINITY',
    )
    expect(parameters({ 'hw:pci_numa_affinity_policy': 'legacy' }).required).toBeUndefined()
    expect(faults({ 'os:secure_boot': 'required' }, { os_secure_boot: 'disabled' })).toMatchObject([
      { code: 'conflict' },
    ])
    expect(faults({ 'hw:pci_numa_affinity_policy': 'near' })).toMatchObject([
      { code: 'bad-value', value: 'near' },
    ])
  })

  test('a TPM is asked for by its version', () => {
    expect(parameters({ 'hw:tpm_version': '2.0', 'hw:tpm_model': 'tpm-crb' }).required).toBe(
      'COMPUTE_SECURITY_TPM_2_0',
    )
    expect(parameters({}, { properties: { hw_tpm_version: '1.2' } }).required).toBe(
      'COMPUTE_SECURITY_TPM_1_2',
    )
    expect(parameters({ 'hw:tpm_model': 'tpm-tis' }).required).toBeUndefined()
    expect(faults({ 'hw:tpm_version': '1.2', 'hw:tpm_model': 'tpm-crb' })).toMatchObject([
      { code: 'needs', key: 'hw:tpm_model', needs: { key: 'hw:tpm_version', value: '2.0' }, found: '1.2' },
    ])
    expect(faults({ 'hw:tpm_version': '3' })).toMatchObject([{ code: 'bad-value', value: '3' }])
  })

  test('encrypted memory takes a context, UEFI and a q35 machine', () => {
    expect(parameters({ 'hw:mem_encryption': 'true' }, uefi).resources).toContain('MEM_ENCRYPTION_CONTEXT:1')
    expect(parameters({ 'hw:mem_encryption': 'false' }).resources).not.toContain('MEM_ENCRYPTION')
    expect(faults({ 'hw:mem_encryption': 'true' })).toEqual([
      {
        code: 'needs',
        key: 'hw:mem_encryption',
        value: 'true',
        needs: { key: 'hw_firmware_type', value: 'uefi' },
        found: null,
      },
    ])
    expect(
      faults({ 'hw:mem_encryption': 'yes' }, { hw_firmware_type: 'uefi', hw_machine_type: 'pc' }),
    ).toMatchObject([{ code: 'needs', needs: { key: 'hw_machine_type' }, found: 'pc' }])
    expect(faults({ 'hw:mem_encryption': 'true' }, { hw_mem_encryption: false })).toMatchObject([
      { code: 'conflict', image: { value: false } },
    ])
    expect(faults({}, { hw_mem_encryption: true })).toMatchObject([
      { code: 'needs', key: 'hw_mem_encryption' },
    ])
  })

  test('keys that Nova chooses hosts by and Berth does not ask nothing of Placement, with a warning', () => {
    const specs = { 'hw:maxphysaddr_mode': 'emulate', 'hw:numa_nodes': '2', 'hw:mem_page_size': 'large' }
    expect(parameters(specs)).toEqual(parameters({}))
    expect(warnings(specs)).toEqual(
      Object.entries(specs).map(([key, value]) => ({ code: 'unread-wish', key, value })),
    )
  })

  test('a flag that is neither yes nor no counts as no, with a warning', () => {
    for (const key of ['hw:mem_encryption', 'hw:ephemeral_encryption', 'hw:cpu_realtime'])
      expect(warnings({ [key]: 'maybe' })).toEqual([{ code: 'bad-flag', key, value: 'maybe' }])
  })
})
