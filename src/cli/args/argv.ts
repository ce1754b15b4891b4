import { flagOf, isKeyName, keyNames, keyOf } from '../../config/keys.ts'
import { commands } from '../commands/registry.ts'

/** Options with a value of every command that talks to a server. */
const CONNECTION_OPTIONS = ['--url', '--server', '--token', '--token-file', '--format', '-o'] as const

/**
 * Rewrites the words to the order that commands expect: `berth help X` becomes `berth X --help`, and options
 * before the command move behind it.
 */
export function normalizeArgv(args: readonly string[]): readonly string[] {
  const words = optionsLast(args)
  if (words[0] === 'help') return [...words.slice(1), '--help']
  return words[0] === 'version' && words.length === 1 ? ['--version'] : words
}

function optionsLast(args: readonly string[]): readonly string[] {
  let at = 0
  while (at < args.length && isOption(args[at] as string))
    at += at + 1 < args.length && takesNextWord(args[at] as string, args.slice(at + 1)) ? 2 : 1
  if (at === 0 || at === args.length) return args
  const [options, words] = [args.slice(0, at), args.slice(at)]
  // Words after `--` are not options.
  const dashes = words.indexOf('--')
  return dashes < 0 ? [...words, ...options] : [...words.slice(0, dashes), ...options, ...words.slice(dashes)]
}

const isOption = (word: string): boolean => word.startsWith('-') && word !== '-' && word !== '--'

const isCommand = (word: string): boolean => commands.some(({ name }) => name === word)

/**
 * The options of a command are known only once it is loaded, so a word before the command counts as the value
 * of an option.
 */
function takesNextWord(option: string, [next = '', ...rest]: readonly string[]): boolean {
  if (option === '--config' || CONNECTION_OPTIONS.some(one => one === option)) return true
  const key = keyNames.find(name => isKeyName(name) && flagOf(name) === option)
  if (key !== undefined && isKeyName(key)) return keyOf(key).kind.type !== 'boolean'
  return !option.includes('=') && !isOption(next) && !isCommand(next) && rest.some(isCommand)
}
