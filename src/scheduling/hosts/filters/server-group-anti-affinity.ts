import { defineFilter } from '../../framework/filter.ts'
import { defineReason, PASS, refuse } from '../../framework/refusal.ts'

const full = defineReason({
  code: 'group.full',
  text: ({ have, max }: { readonly group: string; readonly have: number; readonly max: number }) =>
    `the host has ${have} members of the server group, and ${max} is the limit.`,
  hostsText: 'have reached the limit of members of the server group',
  remedy: ({ max }, host) => `raise max_server_per_host above ${max}, or move a member away from ${host}`,
})

export const serverGroupAntiAffinityFilter = defineFilter({
  name: 'ServerGroupAntiAffinityFilter',
  summary: 'Keeps members of a group with policy anti-affinity apart: at most max_server_per_host on a host.',
  reads: { hints: ['group'], request: ['server group'], host: ['instances'] },
  reasons: [full],
  example: {
    passes: { host: { name: 'h1' }, server_group: { policy: 'anti-affinity', members: { h2: 1 } } },
    refused: {
      host: { name: 'h1' },
      server_group: { policy: 'anti-affinity', max_server_per_host: 2, members: { h1: 2 } },
    },
    text: 'the host has 2 members of the server group, and 2 is the limit.',
  },
  check(request, host) {
    const { group } = request
    if (group?.policy !== 'anti-affinity') return PASS
    // A server that is moved does not conflict with itself. Read only here: a verdict that depends on the server is not kept.
    if (request.instance !== null && host.hasInstance(request.instance)) return PASS
    const have = group.membersByHost.get(host.name) ?? 0
    const max = group.maxServerPerHost
    return have < max ? PASS : refuse(full, { group: group.uuid, have, max })
  },
})
