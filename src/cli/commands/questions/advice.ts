import { Garbled, Refused, Unreachable } from '../../../client/failure.ts'
import { isContradiction } from '../../../scheduling/hosts/filters/aggregate-instance-type/flavor-wants.ts'
import type { CatalogCheck } from '../../../wire/catalog-check.ts'
import type { Session } from '../../connection/session.ts'

type Finding = Pick<CatalogCheck['keys'][number]['findings'][number], 'text' | 'suggestion'>

/** A finding of the catalog, with the suggested value unless the text has it. */
export const remark = ({ text, suggestion }: Finding): string =>
  suggestion === null || text.includes(suggestion) ? text : `${text} Probably meant: ${suggestion}`

/** Shows for keys that were just written what `berth catalog check` would show. */
export async function adviseOn(
  session: Session,
  resourceType: 'OS::Nova::Flavor' | 'OS::Nova::Aggregate',
  specs: Readonly<Record<string, string>>,
  written: readonly string[],
): Promise<void> {
  const check = await session.berth.checkSpecs(resourceType, specs).catch((error: unknown) => {
    // Only advice: the server may serve compute alone, and the caller may lack access to the catalog.
    if (error instanceof Refused || error instanceof Unreachable || error instanceof Garbled) return null
    throw error
  })
  for (const { key, value, findings } of check?.keys ?? []) {
    // The server checks some of it itself.
    if (!written.includes(key) || session.warnings.some(text => text.startsWith(`${key}: `))) continue
    // The compute API has warned of contradictions already.
    for (const { code, ...finding } of findings)
      if (code !== 'operator-pointless' || !isContradiction(value))
        session.note(`warning: ${key}: ${remark(finding)}`)
  }
}
