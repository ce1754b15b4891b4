import { defineFilter } from '../../framework/filter.ts'
import { defineReason, listNames, PASS, refuse } from '../../framework/refusal.ts'

const together = defineReason({
  code: 'different-host.together',
  text: ({ instances }: { readonly instances: readonly string[] }) =>
    `the host has ${listNames(instances)}, which the request must be kept apart from.`,
  hostsText: 'have a server that it must avoid',
  remedy: ({ instances }, host) => `move ${instances.join(', ')} away from ${host}`,
})

export const differentHostFilter = defineFilter({
  name: 'DifferentHostFilter',
  summary: 'Passes only hosts that have none of the instances that the hint names.',
  reads: { hints: ['different_host'], host: ['instances'] },
  reasons: [together],
  example: {
    passes: { hints: { different_host: ['c4a1…'] }, host: { instances: [] } },
    refused: { hints: { different_host: ['c4a1…'] }, host: { instances: ['c4a1…'] } },
    text: 'the host has c4a1…, which the request must be kept apart from.',
  },
  check({ hints: { differentHost } }, host) {
    const instances = differentHost.filter(uuid => host.hasInstance(uuid))
    return instances.length === 0 ? PASS : refuse(together, { instances })
  },
})
