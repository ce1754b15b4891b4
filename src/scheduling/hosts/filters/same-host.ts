import { defineFilter } from '../../framework/filter.ts'
import { defineReason, listNames, PASS, refuse } from '../../framework/refusal.ts'

const apart = defineReason({
  code: 'same-host.apart',
  text: ({ instances }: { readonly instances: readonly string[] }) =>
    `the host has none of the instances ${listNames(instances)}.`,
  hostsText: 'have none of the servers that it must join',
  remedy: () => 'remove the hint same_host',
})

export const sameHostFilter = defineFilter({
  name: 'SameHostFilter',
  summary: 'Passes only hosts that have at least one of the instances that the hint names.',
  reads: { hints: ['same_host'], host: ['instances'] },
  reasons: [apart],
  example: {
    passes: { hints: { same_host: ['c4a1…'] }, host: { instances: ['c4a1…'] } },
    refused: { hints: { same_host: ['c4a1…'] }, host: { instances: [] } },
    text: 'the host has none of the instances c4a1….',
  },
  check({ hints: { sameHost } }, host) {
    return sameHost.length === 0 || sameHost.some(uuid => host.hasInstance(uuid))
      ? PASS
      : refuse(apart, { instances: sameHost })
  },
})
