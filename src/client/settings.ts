import { readFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { stripEnd } from '../kernel/strip.ts'
import { SettingsRefused } from './failure.ts'
import { readServersFile, type ServerEntry, type ServersFile } from './servers-file.ts'

/** The server to use and where its address is from: messages name the source when it is wrong. */
export interface Connection {
  /** Without a slash at its end. */
  readonly url: string
  readonly urlFrom: string
  readonly token: string | null
  /** Null where there is no token. */
  readonly tokenFrom: string | null
}

/** What the flags of a command say. */
export interface ConnectionFlags {
  readonly url?: string | undefined
  readonly token?: string | undefined
  readonly tokenFile?: string | undefined
  readonly server?: string | undefined
}

/** The server that this machine would run by default. */
export interface LocalServer {
  readonly url: string
  /** Its token and where that is kept; null when it cannot be read. */
  token(): Promise<{ readonly token: string; readonly from: string } | null>
}

interface ConnectionSources {
  readonly flags: ConnectionFlags
  readonly env: Readonly<Record<string, string | undefined>>
  readonly homeDirectory: string
  /** Asked only when nothing else names a server or a token. */
  readonly local: () => Promise<LocalServer>
}

/**
 * The address: `--url`, else `--server`, else BERTH_URL, else the file's default, else this machine's server.
 * The token: `--token` or `--token-file`, else that of `--server`, else BERTH_TOKEN, else that of the file's
 * default, else the admin token of this machine's server, which goes to no other address.
 */
export async function connectionOf(sources: ConnectionSources): Promise<Connection> {
  const { flags } = sources
  if (flags.url !== undefined && flags.server !== undefined)
    throw new SettingsRefused('--url and --server both name a server: give one of them', true)
  if (flags.token !== undefined && flags.tokenFile !== undefined)
    throw new SettingsRefused('--token and --token-file both give a token: give one of them', true)
  const address = await addressOf(sources)
  return { ...address.place, ...(await tokenOf(sources, address)) }
}

type ServerAddress = Pick<Connection, 'url' | 'urlFrom'>
type Token = Pick<Connection, 'token' | 'tokenFrom'>

interface Address {
  readonly place: ServerAddress
  /** The entry of the file that gave the address. */
  readonly entry: (ServerEntry & { readonly from: string; readonly file: string }) | null
}

async function addressOf({ flags, env, homeDirectory, local }: ConnectionSources): Promise<Address> {
  if (flags.url !== undefined) return { place: place(flags.url, 'flag --url'), entry: null }
  if (flags.server !== undefined) {
    const file = await readServersFile(env, homeDirectory)
    return fromFile(file, flags.server, 'flag --server')
  }
  const variable = env.BERTH_URL
  if (variable !== undefined && variable !== '')
    return { place: place(variable, 'environment variable BERTH_URL'), entry: null }
  const file = await readServersFile(env, homeDirectory)
  if (file.content?.default !== undefined) return fromFile(file, file.content.default, `file ${file.path}`)
  return { place: { url: (await local()).url, urlFrom: 'default' }, entry: null }
}

function fromFile({ path, content }: ServersFile, name: string, by: string): Address {
  const entry = content !== null && Object.hasOwn(content.servers, name) ? content.servers[name] : undefined
  if (entry === undefined) {
    const known = Object.keys(content?.servers ?? {})
    const remedy = known.length === 0 ? `write one in ${path}` : `${path} has ${known.join(', ')}`
    throw new SettingsRefused(`there is no server named ${name} (${by}): ${remedy}`)
  }
  const from = `server ${name} in ${path}`
  return { place: place(entry.url, from), entry: { ...entry, from, file: path } }
}

function place(text: string, from: string): ServerAddress {
  const url = URL.canParse(text) ? new URL(text) : null
  const makeError = (why: string) =>
    new SettingsRefused(`${text} (${from}) ${why}, such as http://127.0.0.1:8778`)
  if (url === null || !/^https?:$/.test(url.protocol))
    throw makeError('is not an address of a server: write a URL')
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '')
    throw makeError('must have neither user, query nor fragment: write a plain URL')
  return { url: stripEnd(url.href, '/'), urlFrom: from }
}

async function tokenOf(
  { flags, env, homeDirectory, local }: ConnectionSources,
  address: Address,
): Promise<Token> {
  if (flags.token !== undefined) return tokenFrom(flags.token, 'flag --token')
  if (flags.tokenFile !== undefined) return fromTokenFile(flags.tokenFile, 'flag --token-file')
  const { entry } = address
  const ofEntry = entry === null ? null : await entryToken(entry, homeDirectory)
  if (flags.server !== undefined && ofEntry !== null) return ofEntry
  const variable = env.BERTH_TOKEN
  if (variable !== undefined && variable !== '')
    return tokenFrom(variable, 'environment variable BERTH_TOKEN')
  if (ofEntry !== null) return ofEntry
  return localToken(address.place, local)
}

async function entryToken(
  entry: NonNullable<Address['entry']>,
  homeDirectory: string,
): Promise<Token | null> {
  if (entry.token !== undefined) return tokenFrom(entry.token, entry.from)
  if (entry.token_file === undefined) return null
  const path = entry.token_file.replace(/^~(?=\/)/, () => homeDirectory)
  return fromTokenFile(resolve(dirname(entry.file), path), entry.from)
}

/** The admin token of this machine must never be sent to a server that merely has another address. */
async function localToken({ url }: ServerAddress, local: ConnectionSources['local']): Promise<Token> {
  const server = await local()
  const isLocal = URL.canParse(server.url) && new URL(server.url).origin === new URL(url).origin
  const found = isLocal ? await server.token() : null
  return found === null ? { token: null, tokenFrom: null } : { token: found.token, tokenFrom: found.from }
}

async function fromTokenFile(path: string, from: string): Promise<Token> {
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === undefined) throw error
    const why = code === 'ENOENT' ? 'does not exist' : `cannot be read (${code})`
    throw new SettingsRefused(`the token file ${path} (${from}) ${why}`)
  }
  return tokenFrom(text, `file ${path}`)
}

function tokenFrom(text: string, from: string): Token {
  const token = text.trim()
  // What else a header cannot carry; the token itself is no matter for a message.
  if (!/^[\x20-\x7e]+$/.test(token))
    throw new SettingsRefused(`the token (${from}) is not one line of plain text`)
  return { token, tokenFrom: from }
}
