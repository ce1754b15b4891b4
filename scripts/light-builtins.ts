import * as http from 'node:http'
import * as https from 'node:https'
import * as tls from 'node:tls'

/**
 * `import` from a module of Node reads all that it exports, and these load something for it: `node:http` Node's `fetch`, the others
 * the certificates of all authorities. In the bundle that would be a fifth of the processor time of a start. There they are asked for
 * by name instead; `node:https` and `node:tls`, which most servers never use, only when something of them is called.
 */
const NOW = { 'node:http': http }
const WHEN_CALLED = { 'node:https': https, 'node:tls': tls }

const PREFIX = '\0light-'

const isName = (name: string): boolean => /^[A-Za-z_]\w*$/.test(name) && name !== 'default'

function renderNow(module: string, all: object): string {
  const names = Object.keys(all).filter(isName)
  const lines = names
    // A getter may load a lot.
    .filter(name => 'value' in (Object.getOwnPropertyDescriptor(builtin(module), name) ?? {}))
    .map(name => `export const ${name} = all.${name}`)
  return [`const all = process.getBuiltinModule('${module}')`, ...lines].join('\n')
}

function renderWhenCalled(module: string, all: object): string {
  const lines = Object.entries(all)
    .filter(([name, value]) => isName(name) && typeof value === 'function')
    .map(
      ([name]) =>
        `export function ${name}(...args) { return new.target ? new (all().${name})(...args) : all().${name}(...args) }`,
    )
  return [`const all = () => process.getBuiltinModule('${module}')`, ...lines].join('\n')
}

const builtin = (module: string): object => process.getBuiltinModule(module as 'node:http')

/** What else is imported from these modules is an error of the build. */
export const lightBuiltins = {
  name: 'light-builtins',
  resolveId: (id: string): string | null => (id in NOW || id in WHEN_CALLED ? PREFIX + id : null),
  load(id: string): string | null {
    if (!id.startsWith(PREFIX)) return null
    const module = id.slice(PREFIX.length)
    const now = NOW[module as keyof typeof NOW]
    return now === undefined
      ? renderWhenCalled(module, WHEN_CALLED[module as keyof typeof WHEN_CALLED])
      : renderNow(module, now)
  },
}

/** All other modules of Node. */
export const OTHER_BUILTINS = /^node:(?!(?:http|https|tls)$)/
