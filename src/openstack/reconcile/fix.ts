import type { Ledger } from '../placement/ledger.ts'
import type { Finding } from './finding.ts'
import { invertRepair } from './repair.ts'
import type { UndoEntry, UndoFile } from './undo-file.ts'
import { findStanding, listChanged, type RepairTarget, withGenerations, writeRepair } from './write-repair.ts'

/** The result of one repair. */
export interface Fixed {
  readonly kind: string
  readonly subject: Finding['subject']
  readonly outcome: 'done' | 'nothing to do' | 'refused' | 'no repair'
  /** Why it was refused, or has no repair. */
  readonly reason: string | null
}

/**
 * Repairs findings of one look, one commit each. What an earlier repair changed is left to the next look: its repair is not made for
 * what is there now.
 */
export async function fixFindings(
  target: RepairTarget,
  findings: readonly Finding[],
  undo: UndoFile,
): Promise<Fixed[]> {
  const fixed: Fixed[] = []
  const changed = new Set<string>()
  for (const { kind, subject, repair } of findings) {
    if (repair === null) continue
    const uuids = listChanged(repair)
    if (uuids.some(uuid => changed.has(uuid))) continue
    for (const uuid of uuids) changed.add(uuid)
    await undo.add({ kind, subject, repair })
    const reason = await writeRepair(target, repair)
    fixed.push({ kind, subject, outcome: reason === null ? 'done' : 'refused', reason })
  }
  return fixed
}

/** Findings that changes of the ledger cannot repair. */
export const listUnfixable = (findings: readonly Finding[]): Fixed[] =>
  findings.flatMap(({ kind, subject, repair, remedy }) =>
    repair === null ? [{ kind, subject, outcome: 'no repair', reason: remedy }] : [],
  )

/** Undoes repairs, the last one first. Leaves alone what was changed since. */
export async function undoRepairs(
  target: RepairTarget,
  entries: readonly UndoEntry[],
  readLedger: () => Promise<Ledger>,
): Promise<Fixed[]> {
  const undone: Fixed[] = []
  let ledger = await readLedger()
  for (const { kind, subject, repair } of entries) {
    const inverse = invertRepair(repair)
    const standing = findStanding(ledger, inverse)
    const told = { kind, subject }
    if (standing === 'after') undone.push({ ...told, outcome: 'nothing to do', reason: null })
    else if (standing === 'neither')
      undone.push({ ...told, outcome: 'refused', reason: 'it was changed since, and stays as it is' })
    else if (findStanding(ledger, repair) === 'before')
      undone.push({ ...told, outcome: 'nothing to do', reason: null })
    else {
      const reason = await writeRepair(target, withGenerations(ledger, inverse))
      undone.push({ ...told, outcome: reason === null ? 'done' : 'refused', reason })
      // Several repairs may have changed the same consumer one after the other.
      ledger = await readLedger()
    }
  }
  return undone
}
