import { hash } from 'node:crypto'
import type { Head } from './store.ts'

/** The head of an empty store. */
export const GENESIS: Head = { revision: 0, chain: '0'.repeat(64) }

/** The chain value of a change: a digest of the previous one and of its batch. */
export function nextChain(previous: string, batchId: string): string {
  return hash('sha256', previous + batchId, 'hex')
}

/** The heads after each change of a batch. */
export function computeHeads(from: Head, batchId: string, changes: number): Head[] {
  const heads: Head[] = []
  let last = from
  for (let at = 0; at < changes; at++) {
    last = { revision: last.revision + 1, chain: nextChain(last.chain, batchId) }
    heads.push(last)
  }
  return heads
}

/** Whether a change comes right after a head, in the same history. */
export function follows(change: Head & { readonly batchId: string }, head: Head): boolean {
  return change.revision === head.revision + 1 && change.chain === nextChain(head.chain, change.batchId)
}

export function isSameHead(a: Head, b: Head): boolean {
  return a.revision === b.revision && a.chain === b.chain
}

export function describeHead(head: Head): string {
  return `revision ${head.revision} (${head.chain.slice(0, 8)})`
}
