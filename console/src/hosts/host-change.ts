import type { ChangeHostsBody, PreviewHostsBody } from '../../../src/wire/host-changes.ts'
import { plural } from '../formats.ts'

/** What is done with hosts; the address has it as `do`. */
export type Action = 'take-down' | 'disable' | 'enable' | 'ratio' | 'join' | 'leave'

export const actionWords: Readonly<Record<Action, string>> = {
  'take-down': 'Take down: servers go elsewhere',
  disable: 'Disable: nothing new comes',
  enable: 'Enable',
  ratio: 'Set an allocation ratio',
  join: 'Put into an aggregate',
  leave: 'Remove from an aggregate',
}

export const isAction = (text: string | null): text is Action =>
  text !== null && Object.hasOwn(actionWords, text)

/** What an address says is to be done; a text instead says what is still missing. */
export function changeOf(params: URLSearchParams): Omit<ChangeHostsBody, 'hosts'> | string {
  const action = params.get('do')
  const reason = params.get('reason')
  const aggregate = params.get('to')
  switch (isAction(action) ? action : 'take-down') {
    case 'take-down':
    case 'disable':
      return { disabled: true, ...(reason === null || reason === '' ? {} : { disabled_reason: reason }) }
    case 'enable':
      return { disabled: false }
    case 'ratio':
      return ratioOf(params.get('class') ?? 'VCPU', params.get('ratio'))
    case 'join':
      return aggregate === null ? 'Choose an aggregate.' : { join: [aggregate] }
    case 'leave':
      return aggregate === null ? 'Choose an aggregate.' : { leave: [aggregate] }
  }
}

function ratioOf(name: string, text: string | null): Omit<ChangeHostsBody, 'hosts'> | string {
  const ratio = Number(text ?? '')
  if (text === null || text === '' || !Number.isFinite(ratio) || ratio <= 0) return 'Say which ratio.'
  return { allocation_ratios: { [name]: ratio } }
}

/** Taking down asks where the servers would go, whatever the reason is. */
export const previewOf = (
  action: Action,
  hosts: readonly string[],
  { disabled, disabled_reason, allocation_ratios, join, leave }: Omit<ChangeHostsBody, 'hosts'>,
): PreviewHostsBody => ({
  hosts: [...hosts],
  ...(disabled === undefined ? {} : { disabled }),
  ...(disabled_reason == null || action === 'take-down' ? {} : { disabled_reason }),
  ...(allocation_ratios === undefined ? {} : { allocation_ratios }),
  ...(join === undefined ? {} : { join }),
  ...(leave === undefined ? {} : { leave }),
  ...(action === 'take-down' ? { drain: true } : {}),
})

/** The label of the button. */
export function doText(action: Action, count: number): string {
  const hosts = plural(count, 'host')
  switch (action) {
    case 'take-down':
    case 'disable':
      return `Disable ${hosts}`
    case 'enable':
      return `Enable ${hosts}`
    case 'ratio':
      return `Set the ratio of ${hosts}`
    case 'join':
      return `Put ${hosts} into it`
    case 'leave':
      return `Remove ${hosts} from it`
  }
}

/** What was done. */
export function doneText(action: Action, count: number, to: string | null): string {
  const hosts = plural(count, 'host')
  switch (action) {
    case 'take-down':
    case 'disable':
      return `Disabled ${hosts}.`
    case 'enable':
      return `Enabled ${hosts}.`
    case 'ratio':
      return `Set the allocation ratio of ${hosts}.`
    case 'join':
      return `Put ${hosts} into ${to}.`
    case 'leave':
      return `Removed ${hosts} from ${to}.`
  }
}
