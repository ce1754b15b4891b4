import type { Filter } from '../../framework/filter.ts'
import { PASS, refuse } from '../../framework/refusal.ts'

export const serverGroupAntiAffinityFilter: Filter = {
  name: 'ServerGroupAntiAffinityFilter',
  summary: 'Keeps members of a group with policy anti-affinity apart: at most max_server_per_host on a host.',
  reads: { hints: ['group'], request: ['server group'], host: ['instances'] },
  check({ group, instance }, host) {
    if (group?.policy !== 'anti-affinity') return PASS
    // Who is moved may stay: it does not stand in its own way.
    if (instance !== null && host.hasInstance(instance)) return PASS
    const have = group.membersByHost.get(host.name) ?? 0
    const max = group.maxServerPerHost
    return have < max ? PASS : refuse('group.full', { group: group.uuid, have, max })
  },
}
