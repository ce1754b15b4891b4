import { hash } from 'node:crypto'
import type { Head } from './store.ts'

/** The head of a store in which nothing was ever written. */
export const GENESIS: Head = { revision: 0, chain: '0'.repeat(64) }

/** The chain value of a change: a digest of the one before it and of the batch it came in. */
export function chainStep(previous: string, batchId: string): string {
  return hash('sha256', previous + batchId, 'hex')
}

/** The heads that a batch passes through, one for each of its changes. */
export function headsAfter(from: Head, batchId: string, changes: number): Head[] {
  const heads: Head[] = []
  let last = from
  for (let at = 0; at < changes; at++) {
    last = { revision: last.revision + 1, chain: chainStep(last.chain, batchId) }
    heads.push(last)
  }
  return heads
}

/** Whether a change comes right after a head, in the same history. */
export function follows(change: Head & { readonly batchId: string }, head: Head): boolean {
  return change.revision === head.revision + 1 && change.chain === chainStep(head.chain, change.batchId)
}

export function sameHead(a: Head, b: Head): boolean {
  return a.revision === b.revision && a.chain === b.chain
}

export function describeHead(head: Head): string {
  return `revision ${head.revision} (${head.chain.slice(0, 8)})`
}
