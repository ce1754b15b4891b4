import { dirname } from 'node:path'
import { ownValue } from '../../kernel/records.ts'

/** Translates `[placement_database] connection`. */
type DatabaseMeaning =
  | { readonly engine: 'sqlite'; readonly file: string; readonly data_dir: string }
  | { readonly engine: 'postgres' | 'mysql'; readonly database: string }
  | { readonly engine: null; readonly wrong: string; readonly remedy: string }

const ALLOWED =
  'allowed: sqlite:////PATH, postgresql://USER:PASSWORD@HOST/NAME, mysql+pymysql://USER:PASSWORD@HOST/NAME'

/** The engines by the names of SQLAlchemy's dialects. Only this list says which ones there are. */
const ENGINES: Readonly<Record<string, (rest: string, parameters: string) => DatabaseMeaning>> = {
  sqlite: sqliteMeaning,
  postgresql: readServer('postgres', 'postgresql'),
  postgres: readServer('postgres', 'postgresql'),
  mysql: readServer('mysql', 'mysql'),
  mariadb: readServer('mysql', 'mysql'),
}

/**
 * `dialect+driver://rest`; the driver matters only to Python. No message shows the address: it may contain a
 * password.
 */
export function databaseMeaning(connection: string, parameters = ''): DatabaseMeaning {
  const [, dialect = '', rest = ''] =
    /^([a-z0-9]+)(?:\+[a-z0-9_]+)?:\/\/(.*)$/is.exec(connection.trim()) ?? []
  const meaning = ownValue(ENGINES, dialect.toLowerCase())?.(rest, parameters)
  if (meaning !== undefined) return meaning
  return { engine: null, wrong: 'is not a database URL that Berth knows', remedy: ALLOWED }
}

function sqliteMeaning(rest: string): DatabaseMeaning {
  // As in SQLAlchemy: three slashes and a relative path, or four for an absolute one.
  const [, file = ''] = /^\/([^?]*)/.exec(rest) ?? []
  if (file === '' || file === ':memory:')
    return {
      engine: null,
      wrong: 'names a database in memory, which would be lost at every stop',
      remedy: ALLOWED,
    }
  return { engine: 'sqlite', file, data_dir: dirname(file) }
}

/** Parameters of Python's drivers that request what Berth does anyway. */
const NEEDLESS = /^(client_encoding|charset|async_fallback|gssencmode|binary_prefix|plugin)=/i
const isNeeded = (pair: string): boolean => pair !== '' && !NEEDLESS.test(pair)

function readServer(engine: 'postgres' | 'mysql', scheme: string) {
  return (rest: string, parameters: string): DatabaseMeaning => {
    const question = rest.indexOf('?')
    const [place, query] = question < 0 ? [rest, ''] : [rest.slice(0, question), rest.slice(question + 1)]
    const pairs = [...query.split('&'), ...parameters.split('&')].filter(isNeeded)
    return { engine, database: `${scheme}://${place}${pairs.length === 0 ? '' : `?${pairs.join('&')}`}` }
  }
}
