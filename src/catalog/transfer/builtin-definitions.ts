import { definitionFiles } from '../definitions/index.ts'
import type { Definition } from '../fields.ts'
import { readDefinition } from '../reading.ts'

/** Tests check each file against the schema of a namespace. */
export function loadBuiltinDefinitions(): Definition[] {
  return definitionFiles.map(readDefinition)
}
