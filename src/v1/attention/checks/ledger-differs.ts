import { countText } from '../../../kernel/count-text.ts'
import { shellWord } from '../../../scheduling/framework/shell-commands.ts'
import { type AttentionCheck, WorstItems } from '../check.ts'

/** The last comparison with Nova found allocations or providers that are not as Nova says. */
export const ledgerDiffers: AttentionCheck = {
  code: 'ledger.differs',
  what: 'What the last comparison with Nova found.',
  severity: 'warning',
  operation: 'berth:reconcile',
  restMs: 0,
  readsMoreThanState: true,
  find({ reconcile }) {
    const { last } = reconcile
    const total = Object.values(last?.counts ?? {}).reduce((sum, count) => sum + count, 0)
    if (last === null || total === 0) return null
    const worst = new WorstItems()
    for (const { kind, subject, remedy } of last.findings)
      worst.add(last.counts[kind] ?? 0, {
        name: `${kind}: ${subject.type} ${subject.name}`,
        text: remedy,
        link: `/${subject.type === 'provider' ? 'providers' : 'servers'}/${encodeURIComponent(subject.id)}`,
      })
    return {
      total,
      text: `${countText(total, 'difference', 'differences')} between the ledger and Nova (${describeKinds(last.counts)})`,
      link: worst.list()[0]?.link ?? null,
      command: `berth reconcile --cloud ${shellWord(last.cloud)}`,
      items: worst.list(),
    }
  },
}

const KINDS_NAMED_MAX = 3

function describeKinds(counts: Readonly<Record<string, number>>): string {
  const kinds = Object.entries(counts)
    .filter(([, count]) => count > 0)
    .sort((a, b) => b[1] - a[1])
  const named = kinds.slice(0, KINDS_NAMED_MAX).map(([kind, count]) => `${count} ${kind}`)
  return kinds.length > named.length
    ? `${named.join(', ')} and ${countText(kinds.length - named.length, 'other kind')}`
    : named.join(', ')
}

/** The ledger could not be compared with Nova. */
export const ledgerUnchecked: AttentionCheck = {
  code: 'ledger.unchecked',
  what: 'The last comparison with Nova failed.',
  severity: 'warning',
  operation: 'berth:reconcile',
  restMs: 0,
  readsMoreThanState: true,
  find({ reconcile: { cloud, failure } }) {
    if (cloud === null || failure === null) return null
    return {
      total: 1,
      text: `The ledger could not be compared with Nova: ${failure.reason}`,
      link: null,
      command: `berth reconcile --cloud ${shellWord(cloud)}`,
      items: [{ name: cloud, text: `failed at ${failure.at}`, link: null }],
    }
  },
}
