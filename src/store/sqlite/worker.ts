import { existsSync } from 'node:fs'
import { parentPort } from 'node:worker_threads'
import { assert } from '../../kernel/assert.ts'
import { migrations } from '../migrations/migrations.ts'
import { deleteLeftovers } from './backup.ts'
import { connect } from './connection.ts'
import { type DirectoryLock, databaseFile, lockDirectory, prepareDirectory } from './directory.ts'
import { toFailure, toOpenError } from './failure.ts'
import { SqliteFile } from './file.ts'
import { refuseStrangeLedger } from './found-ledger.ts'
import { LedgerMarker } from './ledger-mark.ts'
import type { Call, CallName, Calls, OpenRequest, Reply } from './messages.ts'
import { prepareSchema } from './schema.ts'

/** The thread that owns the file: the main thread never waits for a disk. */

const port = parentPort
assert(port !== null, 'worker.ts runs as a worker thread')

let file: SqliteFile | null = null
let lock: DirectoryLock | null = null
let warnings: string[] = []

function open(request: OpenRequest): SqliteFile {
  const name = databaseFile(request.directory)
  prepareDirectory(request.directory)
  lock = lockDirectory(request.directory)
  try {
    warnings = lock.wasLeft ? collectWarnings(name) : []
    refuseStrangeLedger(request)
    deleteLeftovers(request.directory)
    const marker = new LedgerMarker(request.directory, () => performance.now())
    if (existsSync(`${name}-wal`)) marker.markCopying()
    const first = connect(name, request)
    try {
      prepareSchema(first, name, migrations)
    } finally {
      first.close()
    }
    const opened = new SqliteFile(name, () => connect(name, request), {
      ...request,
      lock: lock.file,
      marker,
    })
    opened.markStart()
    return opened
  } catch (error) {
    lock.release()
    throw toOpenError(error, name)
  }
}

/** A killed server leaves its log behind. */
function collectWarnings(name: string): string[] {
  if (!existsSync(name) || existsSync(`${name}-wal`)) return []
  return [`the last server here was killed, and its log ${name}-wal is gone: its last writes may be missing`]
}

function requireFile(): SqliteFile {
  assert(file !== null, 'the store is open')
  return file
}

const answers: {
  [N in CallName]: (takes: Calls[N]['takes']) => Calls[N]['gives'] | Promise<Calls[N]['gives']>
} = {
  open: request => {
    file = open(request)
    return { head: file.head(), warnings }
  },
  head: () => requireFile().head(),
  write: request => requireFile().write(request),
  check: () => {
    requireFile().checkFiles(true)
    return null
  },
  'changes-after': ({ revision, limit }) => requireFile().changesAfter(revision, limit),
  'load-begin': () => requireFile().beginLoad(),
  'load-next': request => requireFile().nextPage(request),
  'load-end': ({ load }) => {
    requireFile().endLoad(load)
    return null
  },
  'plain-row': ({ table, key }) => requireFile().plainRow(table, key),
  'plain-rows': ({ table, query, sinceMs }) => requireFile().plainRows(table, query, sinceMs),
  'fill-begin': () => {
    requireFile().beginFill()
    return null
  },
  'fill-rows': request => {
    requireFile().addToFill(request)
    return null
  },
  'fill-end': head => requireFile().endFill(head),
  'fill-cancel': () => {
    requireFile().cancelFill()
    return null
  },
  backup: () => requireFile().backup(),
  close: async () => {
    await file?.end()
    if (file !== null) lock?.release()
    return null
  },
}

async function answer({ id, name, takes }: Call): Promise<Reply> {
  try {
    const give = answers[name] as (takes: unknown) => unknown
    return { id, gives: await give(takes) }
  } catch (error) {
    return { id, failure: toFailure(error) }
  }
}

// One call after the other, also when one of them has to wait; a backup blocks no call.
let turn: Promise<void> = Promise.resolve()
port.on('message', (call: Call) => {
  if (call.name === 'backup') void answer(call).then(reply => port.postMessage(reply))
  else
    turn = turn.then(async () => {
      port.postMessage(await answer(call))
      if (call.name === 'write' || call.name === 'fill-end') file?.tidy()
      if (call.name === 'close') port.close()
    })
})
