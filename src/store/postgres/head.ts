import { type Head, StoreRefused } from '../store.ts'

/** The head from the row that has it, which is always there. */
export function headOf(where: string, rows: readonly (readonly unknown[])[]): Head {
  const [row] = rows
  if (row === undefined)
    throw new StoreRefused(`the database at ${where} is damaged: the row of its head is missing`)
  return { revision: row[0] as number, chain: row[1] as string }
}

/** Another berth may have led the database to a newer schema while this one was running. */
export function checkVersion(version: number, newestVersion: number): void {
  if (version > newestVersion)
    throw new StoreRefused(
      `the database now has schema version ${version} and this berth knows only up to ${newestVersion}: use a newer berth`,
    )
}
