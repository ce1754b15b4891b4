/** The licences of the packages in a bundle: they must be distributed with it. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

const PACKAGE = /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//

/** Collects the packages in a bundle, as a plugin of rolldown and vite. Names of assets are relative to `root`. */
export function noteBundledPackages(root: string) {
  const directories = new Set<string>()
  const note = (file: string): void => {
    const directory = PACKAGE.exec(file.replace(/^\0/, ''))?.[1]
    if (directory !== undefined && existsSync(join(directory, 'package.json'))) directories.add(directory)
  }
  const plugin = {
    name: 'bundled-packages',
    moduleParsed: ({ id }: { readonly id: string }) => note(id),
    // Fonts and other assets that no module imports.
    generateBundle(_options: unknown, bundle: Readonly<Record<string, object>>): void {
      for (const file of Object.values(bundle))
        if ('originalFileNames' in file)
          for (const name of file.originalFileNames as string[]) note(resolve(root, name))
    },
  }
  const licenses = () =>
    [...directories]
      .sort()
      .map(licenseOf)
      .join(`\n${'-'.repeat(80)}\n\n`)
  return { plugin, licenses }
}

function licenseOf(directory: string): string {
  const about: Manifest = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8'))
  const files = readdirSync(directory).filter(name => /^(licen[cs]e|copying|notice)/i.test(name))
  const texts = files.map(name => readFileSync(join(directory, name), 'utf8').trim())
  const owner = typeof about.author === 'object' ? about.author.name : about.author
  const head = `${about.name} ${about.version}, ${about.license ?? 'see below'}${owner === undefined ? '' : `, by ${owner}`}`
  return `${[head, ...texts].join('\n\n')}\n`
}

interface Manifest {
  readonly name: string
  readonly version: string
  readonly license?: string
  readonly author?: string | { readonly name: string }
}
