import type { Backup, Store } from '../../store/store.ts'
import { Problem } from '../api/problem.ts'
import { type V1Route, v1Route } from '../api/route.ts'
import { closeWith, REVISION_HEADER, streamAnswer } from '../api/streaming.ts'

const SQLITE = 'application/vnd.sqlite3'

export function backupRoutes(store: () => Store): V1Route[] {
  let isRunning = false
  return [
    v1Route({
      method: 'GET',
      path: '/backup',
      operation: 'berth:backup',
      summary: 'Back up the whole database',
      description:
        'A database file as of one revision, with everything that the server stores; writes continue meanwhile. It is ' +
        'made in the data directory first, which needs room for it. To restore it, put it into an empty data ' +
        'directory as `berth.sqlite`.',
      answer: {
        description: 'The file.',
        mediaType: SQLITE,
        headers: {
          [REVISION_HEADER]: 'The revision of the copy.',
          'content-length': 'Its size: a shorter answer is incomplete.',
        },
      },
      problems: {
        409: 'Another backup is in progress.',
        501: 'The store of this server is a database, not a file: back it up with its own tools, such as pg_dump or mariadb-dump.',
      },
      async handle({ reauthenticate, onClose }) {
        const { backup } = store()
        if (backup === undefined)
          throw new Problem(
            501,
            'backup.unavailable',
            'The store of this server is a database, not a file: back it up with its own tools, such as pg_dump or mariadb-dump.',
          )
        if (isRunning) throw new Problem(409, 'backup.running', 'Another backup is in progress.')
        isRunning = true
        let made: Backup
        try {
          made = await backup.call(store())
        } finally {
          isRunning = false
        }
        closeWith(onClose, made)
        const headers = {
          [REVISION_HEADER]: String(made.head.revision),
          'content-length': String(made.bytes),
        }
        return streamAnswer(SQLITE, headers, made.read(), reauthenticate)
      },
    }),
  ]
}
