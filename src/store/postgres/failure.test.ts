import { DatabaseError } from 'pg'
import { describe, expect, test } from 'vitest'
import { LinkLost, TurnAborted } from '../shared/link.ts'
import { PlainRowTaken, StoreDiverged, StoreRejected, StoreUnavailable } from '../store.ts'
import { classify, toBeginError, toCommitError, toReadError } from './failure.ts'

function error(code: string): DatabaseError {
  const made = new DatabaseError('it went wrong', 0, 'error')
  made.code = code
  return made
}

/** What a code comes to: in a commit before the COMMIT, as the answer to the COMMIT, and where nothing is written. */
const table: [code: string, before: unknown, atCommit: unknown, reading: unknown][] = [
  ['22012', StoreDiverged, LinkLost, StoreUnavailable],
  ['2201E', PlainRowTaken, LinkLost, StoreUnavailable],
  ['22P02', StoreRejected, LinkLost, StoreUnavailable],
  ['23505', StoreRejected, StoreRejected, StoreUnavailable],
  ['25006', TurnAborted, LinkLost, LinkLost],
  ['25P03', TurnAborted, LinkLost, LinkLost],
  ['40001', TurnAborted, TurnAborted, StoreUnavailable],
  ['40003', TurnAborted, LinkLost, StoreUnavailable],
  ['40P01', TurnAborted, TurnAborted, StoreUnavailable],
  ['42P01', StoreRejected, LinkLost, StoreUnavailable],
  ['42501', StoreUnavailable, LinkLost, StoreUnavailable],
  ['53100', StoreUnavailable, LinkLost, StoreUnavailable],
  ['55P03', StoreUnavailable, LinkLost, StoreUnavailable],
  ['57014', StoreUnavailable, StoreUnavailable, StoreUnavailable],
  ['57P01', TurnAborted, LinkLost, LinkLost],
  ['08006', TurnAborted, LinkLost, LinkLost],
  ['0A000', TurnAborted, LinkLost, LinkLost],
  ['XX001', StoreUnavailable, LinkLost, StoreUnavailable],
  ['ZZ999', StoreUnavailable, LinkLost, StoreUnavailable],
]

describe('what a code of PostgreSQL comes to', () => {
  test.each(table)('%s', (code, before, atCommit, reading) => {
    expect(toCommitError('h:1', error(code), false).constructor).toBe(before)
    expect(toCommitError('h:1', error(code), true).constructor).toBe(atCommit)
    expect(toReadError('h:1', error(code)).constructor).toBe(reading)
    const beginning = classify(code) === 'aborted' ? TurnAborted : reading
    expect(toBeginError('h:1', error(code)).constructor).toBe(beginning)
  })

  test('a connection that is lost stays so', () => {
    const lost = new LinkLost('gone')
    for (const atCommit of [true, false]) expect(toCommitError('h:1', lost, atCommit)).toBe(lost)
    expect([toReadError('h:1', lost), toBeginError('h:1', lost)]).toEqual([lost, lost])
  })

  test('the message names the place, the words and the code', () => {
    expect(toReadError('h:1', error('53100')).message).toBe('PostgreSQL at h:1 says: it went wrong [53100]')
  })
})
