import { definitionFiles } from '../definitions/index.ts'
import type { Definition } from '../fields.ts'
import { definitionOf } from '../reading.ts'

/** What comes with Berth. Tests see to it that each file fits the schema of a namespace. */
export function builtinDefinitions(): Definition[] {
  return definitionFiles.map(definitionOf)
}
