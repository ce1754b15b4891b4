import { defineFilter } from '../../framework/filter.ts'
import { defineReason, PASS, refuse } from '../../framework/refusal.ts'
import { shellWord } from '../../framework/shell-commands.ts'

const disabled = defineReason({
  code: 'host.disabled',
  text: ({ reason }: { readonly reason: string | null }) =>
    reason === null ? 'the host is disabled.' : `the host is disabled: ${reason}`,
  hostsText: 'are disabled',
  remedy: (_facts, host) => `enable ${host}`,
  command: (_facts, host) => `berth host set ${shellWord(host)} --enable`,
})

const down = defineReason({
  code: 'host.down',
  text: ({ forced }: { readonly forced: boolean }) =>
    forced ? 'the host is down: an operator forced it.' : 'the host is down.',
  hostsText: 'are down',
  remedy: (_facts, host) => `bring ${host} up`,
  command: (_facts, host) => `berth host set ${shellWord(host)} --up`,
})

export const computeFilter = defineFilter({
  name: 'ComputeFilter',
  summary: 'Passes only hosts that are enabled and up.',
  reads: { host: ['enabled', 'up'] },
  reasons: [disabled, down],
  example: {
    passes: { host: { enabled: true, up: true } },
    refused: { host: { enabled: false, disabled_reason: 'disk is dying' } },
    text: 'the host is disabled: disk is dying',
  },
  momentary: true,
  check(_request, host) {
    if (!host.isEnabled) return refuse(disabled, { reason: host.disabledReason })
    return host.isUp ? PASS : refuse(down, { forced: host.isForcedDown })
  },
})
