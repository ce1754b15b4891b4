import { readFile } from 'node:fs/promises'
import { parseTraitNames } from '../kernel/standard-names.ts'

/** The file of `standard_traits_file` cannot be used. */
export class StandardTraitsRefused extends Error {}

/** Names of standard traits that an operator adds to those that come with Berth. */
export async function readStandardTraits(file: string | null): Promise<readonly string[]> {
  if (file === null) return []
  const text = await readFile(file, 'utf8').catch((error: Error) => {
    throw new StandardTraitsRefused(`standard_traits_file cannot be read: ${error.message}`)
  })
  const names = parseTraitNames(text)
  if ('fault' in names) throw new StandardTraitsRefused(`standard_traits_file ${file}: ${names.fault}`)
  return names
}
