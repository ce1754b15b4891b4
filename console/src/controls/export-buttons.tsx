import { useState } from 'react'
import { plural } from '../formats.ts'
import styles from './data-table.module.css'
import { csvOf, type ExportedColumn, fileNameOf, jsonOf } from './exported-rows.ts'

/** The whole table as a file, not only what is on the screen. */
export function ExportButtons<Row>({
  label,
  rows,
  columns,
  cut,
}: {
  readonly label: string
  /** In their order. */
  readonly rows: () => readonly Row[]
  readonly columns: readonly ExportedColumn<Row>[]
  /** What the table leaves out, such as `the first 200`; null: nothing. */
  readonly cut: string | null
}) {
  const [said, setSaid] = useState('')
  const save = async (extension: 'csv' | 'json') => {
    const all = rows()
    const pieces = extension === 'csv' ? csvOf(columns, all) : jsonOf({ table: label, cut }, columns, all)
    const type = extension === 'csv' ? 'text/csv;charset=utf-8' : 'application/json'
    const name = fileNameOf(label, cut !== null, extension)
    saveFile(new Blob(await gather(pieces), { type }), name)
    setSaid(`${plural(all.length, 'row')} in ${name}`)
  }
  return (
    <div className={styles.foot}>
      <span aria-live="polite">
        {said}
        {cut !== null && (
          <>
            {' '}
            {said === '' ? 'The table has only' : '– only'} {cut}.
          </>
        )}
      </span>
      <span className={styles.export}>
        Export
        {(['csv', 'json'] as const).map(extension => (
          <button
            key={extension}
            type="button"
            aria-label={`Export ${label} as ${extension.toUpperCase()}`}
            onClick={() => void save(extension)}
          >
            {extension.toUpperCase()}
          </button>
        ))}
      </span>
    </div>
  )
}

/** So long may it take before the page gets a turn. */
const TURN_MS = 8

async function gather(pieces: Iterable<string>): Promise<string[]> {
  const all: string[] = []
  let endMs = performance.now() + TURN_MS
  for (const piece of pieces) {
    all.push(piece)
    if (performance.now() < endMs) continue
    await new Promise(resolve => setTimeout(resolve))
    endMs = performance.now() + TURN_MS
  }
  return all
}

function saveFile(blob: Blob, name: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(blob)
  link.download = name
  link.click()
  // The browser has begun to read it by then.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}
