import type { Command } from 'commander'
import { type NameKind, nameKindOf } from './names.ts'

/** A command as shell completion needs it. */
interface CommandNode {
  /** The words from the program name on, e.g. `berth provider list`. */
  readonly path: string
  readonly children: readonly { readonly name: string; readonly summary: string }[]
  /** The words that its first argument may be, if there are few. */
  readonly words: readonly string[]
  /** The kind of names that its arguments take, requested from the server during completion. */
  readonly names: readonly NameKind[]
  readonly options: readonly OptionNode[]
}

interface OptionNode {
  readonly long: string
  readonly short: string | null
  readonly takesValue: boolean
  readonly names: NameKind | null
  readonly summary: string
}

/** The program and all commands below it, parents first. */
export function commandNodes(command: Command, above = ''): CommandNode[] {
  const path = `${above}${command.name()}`
  const help = command.createHelp()
  const node: CommandNode = {
    path,
    children: command.commands.map(child => ({ name: child.name(), summary: child.summary() })),
    words: command.registeredArguments[0]?.argChoices ?? [],
    names: [...new Set(command.registeredArguments.flatMap(one => nameKindOf(one.name()) ?? []))],
    options: help.visibleOptions(command).map(option => ({
      long: option.long ?? '',
      short: option.short ?? null,
      takesValue: option.required || option.optional,
      names: nameKindOf(valueName(option.flags)),
      summary: firstSentence(option.description),
    })),
  }
  return [node, ...command.commands.flatMap(child => commandNodes(child, `${path} `))]
}

/** `host` of `--host <host>`. */
const valueName = (flags: string): string => /[<[]([\w-]+)/.exec(flags)?.[1] ?? ''

const firstSentence = (text: string): string => /^.*?[^.](?=\.(\s|$))/s.exec(text)?.[0] ?? text

const names = ({ children, words }: CommandNode): string[] => [...children.map(({ name }) => name), ...words]
const flags = ({ options }: CommandNode): string[] =>
  options.flatMap(({ long, short }) => (short === null ? [long] : [long, short]))
const listValueOptions = ({ options }: CommandNode): string[] =>
  options.filter(({ takesValue }) => takesValue).map(({ long }) => long)

/** The names that a word may be: for the value of the option before it, otherwise for an argument. */
const nameFunction = (node: CommandNode): string =>
  [
    ...node.options.flatMap(({ long, names: kind }) => (kind === null ? [] : [`${long}=${kind}`])),
    ...(node.names.length === 0 ? [] : [`=${node.names.join(',')}`]),
  ].join(' ')

const quoteForShell = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/** Paths below the program, as patterns of a `case`. */
const steps = (nodes: readonly CommandNode[]): string[] => nodes.slice(1).map(({ path }) => path)

function bash(nodes: readonly CommandNode[]): string {
  const cases = nodes.map(
    node =>
      `    ${quoteForShell(node.path)}) words=${quoteForShell([...names(node), ...flags(node)].join(' '))} valued=${quoteForShell(listValueOptions(node).join(' '))} named=${quoteForShell(nameFunction(node))} ;;`,
  )
  return `# Completion of berth for bash, made by \`berth completion bash\`.
_berth() {
  local current=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD-1]} at=berth words= valued= named= kind= name escaped i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$at \${COMP_WORDS[i]}" in
      ${steps(nodes).map(quoteForShell).join('|')}) at="$at \${COMP_WORDS[i]}" ;;
    esac
  done
  case "$at" in
${cases.join('\n')}
  esac
  COMPREPLY=()
  case " $valued " in
    *" $before "*)
      # What follows such an option is a value: a name, or the shell's own completion of files.
      words=
      case " $named " in *" $before="*) kind=\${named##*"$before="} ;; esac ;;
    *) case " $named " in *" ="*) kind=\${named##*=} ;; esac ;;
  esac
  kind=\${kind%% *}
  COMPREPLY=($(compgen -W "$words" -- "$current")) || :
  # Names are others' texts: compgen would expand them, and run what is in $(...).
  for kind in \${kind//,/ }; do
    while IFS= read -r name; do
      printf -v escaped %q "$name"
      if [[ $name == "$current"* || $escaped == "$current"* ]]; then COMPREPLY+=("$escaped"); fi
    done < <(berth names "$kind" 2>/dev/null)
  done
}
complete -o default -F _berth berth
`
}

function zsh(nodes: readonly CommandNode[]): string {
  const describeName = (name: string, summary: string) =>
    quoteForShell(`${name.replaceAll(':', '\\:')}:${summary}`)
  const cases = nodes.map(node => {
    const commands = [
      ...node.children.map(({ name, summary }) => describeName(name, summary)),
      ...node.words.map(word => describeName(word, word)),
    ]
    const options = node.options.map(({ long, summary }) => describeName(long, summary))
    return `    (${quoteForShell(node.path)}) commands=(${commands.join(' ')}) options=(${options.join(' ')}) valued=${quoteForShell(listValueOptions(node).join(' '))} named=${quoteForShell(nameFunction(node))} ;;`
  })
  return `#compdef berth
# Completion of berth for zsh, made by \`berth completion zsh\`.
_berth() {
  local at=berth valued= named= kind= i
  local -a commands options
  for ((i = 2; i < CURRENT; i++)); do
    case "$at \${words[i]}" in
      (${steps(nodes).map(quoteForShell).join('|')}) at="$at \${words[i]}" ;;
    esac
  done
  case "$at" in
${cases.join('\n')}
  esac
  if [[ " $valued " == *" \${words[CURRENT-1]} "* ]]; then
    [[ " $named " == *" \${words[CURRENT-1]}="* ]] && kind=\${\${named##*"\${words[CURRENT-1]}="}%% *}
    if [[ -n $kind ]]; then compadd -- \${(f)"$(berth names $kind 2>/dev/null)"}; else _files; fi
  elif [[ \${words[CURRENT]} == -* ]]; then
    _describe -o option options
  elif (( \${#commands} )); then
    _describe command commands
  elif [[ " $named " == *" ="* ]]; then
    for kind in \${(s:,:)named##*=}; do compadd -- \${(f)"$(berth names $kind 2>/dev/null)"}; done
  else
    _files
  fi
}
if [[ "\${funcstack[1]}" == _berth ]]; then
  _berth "$@"
else
  compdef _berth berth
fi
`
}

function fish(nodes: readonly CommandNode[]): string {
  const lines = nodes.flatMap(node => {
    const here = `complete -c berth -n ${fishQuoted(`__berth_at ${node.path}`)}`
    return [
      ...node.children.map(({ name, summary }) => `${here} -f -a ${name} -d ${fishQuoted(summary)}`),
      ...node.words.map(word => `${here} -f -a ${word}`),
      ...node.names.map(kind => `${here} -f -a '(berth names ${kind} 2>/dev/null)'`),
      ...node.options.map(
        ({ long, short, takesValue, names: kind, summary }) =>
          `${here} -l ${long.slice(2)}${short === null ? '' : ` -s ${short.slice(1)}`}${takesValue ? ' -r' : ''}${kind === null ? '' : ` -f -a '(berth names ${kind} 2>/dev/null)'`} -d ${fishQuoted(summary)}`,
      ),
    ]
  })
  return `# Completion of berth for fish, made by \`berth completion fish\`.
function __berth_at
    set -l at berth
    set -l words (commandline -opc)
    set -e words[1]
    for word in $words
        switch "$at $word"
            case ${steps(nodes).map(fishQuoted).join(' ')}
                set at "$at $word"
        end
    end
    test "$at" = "$argv"
end
${lines.join('\n')}
`
}

const fishQuoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`

export const scripts = { bash, zsh, fish } as const
