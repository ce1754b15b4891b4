import { readFileSync, statSync } from 'node:fs'

interface Login {
  readonly host: string
  readonly port: number
  readonly database: string
  readonly user: string
}

type PassFile =
  | { readonly lines: readonly (readonly string[])[]; readonly fault: null }
  /** It exists but is not used, for this reason. */
  | { readonly lines: readonly []; readonly fault: string }

const NONE: PassFile = { lines: [], fault: null }

/** libpq's password file: lines of `host:port:database:user:password`. Not used if others may read it. */
export function readPassFile(path: string): PassFile {
  let text: string
  try {
    const found = statSync(path)
    if (!found.isFile()) return { lines: [], fault: `${path} is not a file` }
    if ((found.mode & 0o077) !== 0)
      return { lines: [], fault: `${path} is not used, because others may read it: chmod 600 ${path}` }
    text = readFileSync(path, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return code === 'ENOENT' || code === 'ENOTDIR'
      ? NONE
      : { lines: [], fault: `${path} cannot be read (${code})` }
  }
  const lines = text.split(/\r?\n/).filter(line => line !== '' && !line.startsWith('#'))
  return { lines: lines.map(splitFields), fault: null }
}

/** Fields end at colons; a backslash escapes the next character. A single asterisk matches anything. */
function splitFields(line: string): string[] {
  const fields: string[] = []
  const rest = line.replace(/((?:\\.|[^:\\])*):/gy, (_, field: string) => {
    if (fields.length === 4) return _
    fields.push(field)
    return ''
  })
  return [...fields, rest]
}

const unescapeField = (field: string) => field.replace(/\\(.)/g, '$1')
const fits = (field: string | undefined, value: string) =>
  field === '*' || (field !== undefined && unescapeField(field) === value)

/** The password of the first matching line, or null. */
export function findPassword({ lines }: PassFile, { host, port, database, user }: Login): string | null {
  // A Unix socket is called localhost here, whatever its directory.
  const names = host.startsWith('/') ? [host, 'localhost'] : [host]
  const line = lines.find(
    fields =>
      fields.length === 5 &&
      names.some(name => fits(fields[0], name)) &&
      fits(fields[1], String(port)) &&
      fits(fields[2], database) &&
      fits(fields[3], user),
  )
  return line === undefined ? null : unescapeField(line[4] as string)
}
