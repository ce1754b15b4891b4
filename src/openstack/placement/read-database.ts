import { readFile } from 'node:fs/promises'
import { DatabaseSync } from 'node:sqlite'
import { type Connection, createConnection } from 'mysql2/promise'
import { Client } from 'pg'
import {
  type Cell,
  chooseColumns,
  type PlacementRow,
  type PlacementRows,
  type PlacementTable,
  placementTableNames,
  SourceRefused,
  selectRows,
} from './tables.ts'

/** Called with the number of rows read so far. */
export type OnRows = (rows: number) => void

/** What reading needs of an engine: the tables with their columns, and rows as arrays of cells. */
interface Reader {
  columns(): Promise<ReadonlyMap<string, ReadonlySet<string>>>
  select(statement: string): Promise<readonly PlacementRow[]>
}

/** All rows as of one moment. Locks nothing, so Placement can continue to write. */
export async function readSqlite(path: string, onRows: OnRows): Promise<PlacementRows> {
  const database = openSqlite(path)
  try {
    // The first read of a transaction fixes what all of it sees.
    database.exec('BEGIN')
    return await readTables(
      {
        columns: async () =>
          groupColumns(
            database
              .prepare(SQLITE_COLUMNS)
              .all()
              .map(row => Object.values(row)),
          ),
        select: async statement =>
          database
            .prepare(statement)
            .all()
            .map(row => Object.values(row) as Cell[]),
      },
      onRows,
    )
  } finally {
    database.close()
  }
}

function openSqlite(path: string): DatabaseSync {
  try {
    return new DatabaseSync(path, { readOnly: true, timeout: 10_000 })
  } catch (error) {
    throw new SourceRefused(`${path}: ${(error as Error).message}`)
  }
}

const SQLITE_COLUMNS = `SELECT m.name, c.name AS column_name FROM sqlite_schema m, pragma_table_info(m.name) c
  WHERE m.type = 'table'`

export async function readPostgres(url: string, onRows: OnRows): Promise<PlacementRows> {
  let opened: Client | null = null
  try {
    // An address that cannot be parsed fails here; the error has the password, its message has not.
    const client = new Client({ connectionString: url, application_name: 'berth-import', keepAlive: true })
    opened = client
    client.on('error', () => undefined)
    await client.connect()
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
    const select = async (text: string) => (await client.query({ text, rowMode: 'array' })).rows as Cell[][]
    return await readTables(
      { columns: async () => groupColumns(await select(INFORMATION_SCHEMA)), select },
      onRows,
    )
  } catch (error) {
    throw error instanceof SourceRefused ? error : new SourceRefused((error as Error).message)
  } finally {
    await opened?.end().catch(() => undefined)
  }
}

const INFORMATION_SCHEMA = `SELECT table_name, column_name FROM information_schema.columns
  WHERE table_schema = current_schema()`

/** MariaDB, MySQL and Galera: a snapshot of one node, at least as new as all earlier answers. */
export async function readMysql(url: string, onRows: OnRows): Promise<PlacementRows> {
  let connection: Connection | null = null
  try {
    connection = await connectMysql(new URL(url))
    const open = connection
    const select = async (sql: string) => (await open.query({ sql, rowsAsArray: true }))[0] as Cell[][]
    // A server without Galera has no such variable.
    await open.query('SET SESSION wsrep_sync_wait = 1').catch(() => undefined)
    await open.query('SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ')
    await open.query('START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY')
    const columns = async () =>
      groupColumns(await select(INFORMATION_SCHEMA.replace('current_schema', 'database')))
    return await readTables({ columns, select }, onRows)
  } catch (error) {
    throw error instanceof SourceRefused ? error : new SourceRefused((error as Error).message)
  } finally {
    connection?.destroy()
  }
}

async function connectMysql({
  hostname,
  port,
  username,
  password,
  pathname,
  searchParams,
}: URL): Promise<Connection> {
  const ca = searchParams.get('ssl_ca')
  const socketPath = searchParams.get('unix_socket')
  return createConnection({
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    ...(socketPath === null ? {} : { socketPath }),
    port: port === '' ? 3306 : Number(port),
    user: decodeURIComponent(username),
    password: decodeURIComponent(password),
    database: decodeURIComponent(pathname.slice(1)),
    charset: 'utf8mb4_bin',
    connectTimeout: 10_000,
    // A server must not be able to ask for our files.
    flags: ['-LOCAL_FILES'],
    ...(ca === null ? {} : { ssl: { ca: await readFile(ca, 'utf8') } }),
  })
}

function groupColumns(pairs: readonly (readonly unknown[])[]): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>()
  for (const [table, column] of pairs) {
    const name = String(table)
    if (!found.has(name)) found.set(name, new Set())
    found.get(name)?.add(String(column))
  }
  return found
}

async function readTables(reader: Reader, onRows: OnRows): Promise<PlacementRows> {
  const present = await reader.columns()
  const found = {} as Record<PlacementTable, readonly PlacementRow[]>
  let rows = 0
  for (const table of placementTableNames) {
    const columns = chooseColumns(table, present.get(table))
    found[table] = columns === null ? [] : await reader.select(selectRows(table, columns))
    rows += found[table].length
    onRows(rows)
  }
  return found
}
