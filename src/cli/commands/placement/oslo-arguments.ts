import type { NamedSource } from '../../../config/oslo/search.ts'
import { ownValue } from '../../../kernel/records.ts'

/** The arguments of a program that is built on oslo.config. */
export interface OsloArguments {
  readonly named: readonly NamedSource[]
  /** All other arguments, in order. */
  readonly words: readonly string[]
  readonly wants: 'help' | 'version' | null
}

/** The arguments are invalid. One plain line. */
export class ArgumentsRefused extends Error {
  override name = 'ArgumentsRefused'
}

const SOURCES: Readonly<Record<string, NamedSource['kind']>> = {
  '--config-file': 'file',
  '--config-dir': 'directory',
}
/** Options of oslo.log: accepted, but without effect in short-lived programs. */
const SILENT: ReadonlySet<string> = new Set([
  '-d',
  '--debug',
  '--nodebug',
  '--use-syslog',
  '--nouse-syslog',
  '--use-journal',
  '--nouse-journal',
  '--use-json',
  '--nouse-json',
  '--watch-log-file',
  '--nowatch-log-file',
])
const SILENT_WITH_VALUE: ReadonlySet<string> = new Set([
  '--log-file',
  '--logfile',
  '--log-dir',
  '--logdir',
  '--log-config-append',
  '--log-config',
  '--log_config',
  '--log-date-format',
  '--syslog-log-facility',
])

export function parseOsloArguments(args: readonly string[]): OsloArguments {
  const named: NamedSource[] = []
  const words: string[] = []
  let wants: OsloArguments['wants'] = null
  for (let at = 0; at < args.length; at++) {
    const word = args[at] as string
    const equals = word.startsWith('--') ? word.indexOf('=') : -1
    const option = equals < 0 ? word : word.slice(0, equals)
    const kind = ownValue(SOURCES, option)
    if (kind !== undefined || SILENT_WITH_VALUE.has(option)) {
      const value = equals < 0 ? args[++at] : word.slice(equals + 1)
      if (value === undefined) throw new ArgumentsRefused(`argument ${option}: expected one argument`)
      if (kind !== undefined) named.push({ kind, path: value })
    } else if (word === '-h' || word === '--help') wants ??= 'help'
    else if (word === '-v' || word === '--version') wants ??= 'version'
    else if (!SILENT.has(word)) words.push(word)
  }
  return { named, words, wants }
}
