import { byName, list, object, type TypeOf, text, whole } from './shape.ts'

const counts = {
  created: whole('New.'),
  updated: whole('Changed to be as the line says.'),
  unchanged: whole('As the line says already.'),
}

const countsShape = object('How many.', counts)
const ledgerCountsShape = object('How many.', { ...counts, removed: whole('Removed.') })

export const importReportShape = object('The result, by kind of line.', {
  resource_classes: ledgerCountsShape,
  traits: ledgerCountsShape,
  providers: ledgerCountsShape,
  consumers: ledgerCountsShape,
  rows: byName(countsShape, 'By table, of those that had lines.'),
  lines: whole('How many lines there were, head and end included, empty ones not.'),
  notes: list(text('One sentence.'), 'What is left to be done by hand, such as passwords.'),
})

const ledgerCounts = {
  resource_classes: whole('Custom resource classes.'),
  traits: whole('Custom traits.'),
  providers: whole('Providers.'),
  consumers: whole('Consumers.'),
}

/** Files of version 1 have only the four counts of the ledger. */
const exportEndShape = object('What the last line of an export says.', ledgerCounts, {
  rows: byName(whole('How many rows.'), 'By table.'),
  left_out: list(text('A table.'), 'Tables that the caller may not read.'),
  not_exported: byName(whole('How many.'), 'What there is and no export has.'),
  shares_under_way: list(text('A share.'), 'Shares on which work is being done.'),
})

export type ImportReport = TypeOf<typeof importReportShape>
export type ExportEnd = TypeOf<typeof exportEndShape>
