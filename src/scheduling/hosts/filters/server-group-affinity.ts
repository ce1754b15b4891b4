import { defineFilter } from '../../framework/filter.ts'
import { defineReason, listNames, PASS, refuse } from '../../framework/refusal.ts'

const elsewhere = defineReason({
  code: 'group.elsewhere',
  text: ({ hosts }: { readonly group: string; readonly hosts: readonly string[] }) =>
    `the other members of the server group are on ${listNames(hosts)}.`,
  hostsText: 'do not have the other members of the server group',
  remedy: () => 'remove the server group, whose members are on other hosts',
})

export const serverGroupAffinityFilter = defineFilter({
  name: 'ServerGroupAffinityFilter',
  summary: 'Keeps members of a group with policy affinity to the host of the others.',
  reads: { hints: ['group'], request: ['server group'] },
  reasons: [elsewhere],
  example: {
    passes: { host: { name: 'h1' }, server_group: { policy: 'affinity', members: { h1: 1 } } },
    refused: { host: { name: 'h1' }, server_group: { policy: 'affinity', members: { h2: 1 } } },
    text: 'the other members of the server group are on h2.',
  },
  check({ group }, { name }) {
    if (group?.policy !== 'affinity') return PASS
    const { uuid, membersByHost } = group
    return membersByHost.size === 0 || membersByHost.has(name)
      ? PASS
      : refuse(elsewhere, { group: uuid, hosts: [...membersByHost.keys()] })
  },
})
