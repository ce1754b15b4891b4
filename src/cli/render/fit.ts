import type { Fit } from '../../wire/fit.ts'
import { flexible, type Look, right, table } from './table.ts'

const countText = ({ fits, exact }: { readonly fits: number; readonly exact: boolean }): string =>
  fits === 0 ? '-' : `${exact ? '' : '~'}${fits}`

/** Flavors by zones. */
export const fitText = ({ zones, flavors }: Fit, look: Look): string =>
  table(
    [flexible('FLAVOR'), right('IN ALL'), ...zones.map(({ zone }) => right(zone)), flexible('WHY NONE')],
    flavors.map(one => [one.name, countText(one), ...one.zones.map(countText), one.reason ?? '']),
    look,
  )
