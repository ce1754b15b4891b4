import { PASS, refuse } from '../../framework/refusal.ts'
import { definePoolFilter, definePoolReason } from '../pool-view.ts'

const other = definePoolReason({
  code: 'only-host.other',
  text: ({ asked }: { readonly asked: string }) => `the request asks for ${asked} only.`,
  hostsText: 'are not the requested pool',
  remedy: ({ asked }) => `ask for another pool than ${asked}, or for none`,
  memberText: ({ asked }) => `there is no pool ${asked}, or it cannot take the share.`,
})

export const onlyHostFilter = definePoolFilter({
  name: 'OnlyHostFilter',
  summary: 'Passes only the pool that the hint only_host names.',
  reads: { hints: ['only_host'] },
  reasons: [other],
  check: ({ onlyHost }, { name }) =>
    onlyHost === null || onlyHost === name ? PASS : refuse(other, { asked: onlyHost }),
})
