import type { Filter } from '../../framework/filter.ts'
import { PASS, refuse } from '../../framework/refusal.ts'

export const serverGroupAffinityFilter: Filter = {
  name: 'ServerGroupAffinityFilter',
  summary: 'Keeps members of a group with policy affinity to the host of the others.',
  reads: { hints: ['group'], request: ['server group'] },
  check({ group }, { name }) {
    if (group?.policy !== 'affinity') return PASS
    const { uuid, membersByHost } = group
    return membersByHost.size === 0 || membersByHost.has(name)
      ? PASS
      : refuse('group.elsewhere', { group: uuid, hosts: [...membersByHost.keys()] })
  },
}
