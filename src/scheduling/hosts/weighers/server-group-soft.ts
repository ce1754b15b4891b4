import type { Weigher } from '../../framework/weigher.ts'
import type { HostView } from '../host-view.ts'
import type { SchedulingRequest, ServerGroupView } from '../request-view.ts'

/** Members of the request's group on the host, if the group has that policy. */
const countMembers = (
  { group }: SchedulingRequest,
  host: HostView,
  policy: ServerGroupView['policy'],
): number => (group?.policy === policy ? (group.membersByHost.get(host.name) ?? 0) : 0)

export const serverGroupSoftAffinityWeigher: Weigher = {
  name: 'ServerGroupSoftAffinityWeigher',
  summary: 'Prefers hosts with more members of the group, if its policy is soft-affinity.',
  multiplierKey: 'soft_affinity_weight_multiplier',
  multiplier: 1,
  multiplierMin: 0,
  reads: { hints: ['group'], request: ['server group'] },
  isIdle: ({ group }) => group?.policy !== 'soft-affinity',
  weigh: (request, host) => countMembers(request, host, 'soft-affinity'),
}

export const serverGroupSoftAntiAffinityWeigher: Weigher = {
  name: 'ServerGroupSoftAntiAffinityWeigher',
  summary: 'Prefers hosts with fewer members of the group, if its policy is soft-anti-affinity.',
  multiplierKey: 'soft_anti_affinity_weight_multiplier',
  multiplier: 1,
  multiplierMin: 0,
  reads: { hints: ['group'], request: ['server group'] },
  isIdle: ({ group }) => group?.policy !== 'soft-anti-affinity',
  weigh: (request, host) => -countMembers(request, host, 'soft-anti-affinity'),
}
