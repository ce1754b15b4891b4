import { Button } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useId, useMemo, useState } from 'react'
import { ownValue } from '../../../src/kernel/records.ts'
import { checkSpecs, type ResourceType, readDefinitions } from '../api/catalog.ts'
import { ActButton } from '../controls/act-button.tsx'
import { Empty, FailureNote, Note, Panel } from '../controls/page.tsx'
import { plural } from '../formats.ts'
import { valueOfNew } from './adding.ts'
import { AvailableKeys } from './available-keys.tsx'
import { type KeyGroup, type KnownKey, keyGroups } from './known-keys.ts'
import { type Draft, draftOf, unfinished, withText } from './metadata-draft.ts'
import styles from './metadata-editor.module.css'
import { type SpecChanges, type Specs, specChanges } from './spec-changes.ts'
import { SpecRows } from './spec-rows.tsx'

/** Extra specs or metadata, edited with the help of the catalog. Untouched values stay exactly as they were. */
export function MetadataEditor({
  type,
  saved,
  whyNot,
  whyKept = () => null,
  onSave,
  matches,
}: {
  readonly type: ResourceType
  /** The current value on the server. */
  readonly saved: Specs
  /** Why it is read-only; null if it is not. */
  readonly whyNot: string | null
  /** Why a key cannot be removed; null if it can. */
  readonly whyKept?: (key: string) => string | null
  /** Saves the changes; returns warnings of the server. */
  readonly onSave: (changes: SpecChanges) => Promise<string | null>
  /** How many hosts fit the current draft. */
  readonly matches?: (draft: Specs) => ReactNode
}) {
  const { draft, setDraft, base, changes, theirs, state, save, takeTheirs } = useDraft(saved, onSave)
  const groups = useKeyGroups(type)
  const known = useMemo(() => byKey(groups), [groups])
  const { specs } = draft
  const checked = useChecked(type, specs)
  const rows = useId()
  const count = countOf(changes)
  const why = unfinished(draft)
  const keys = [...new Set([...Object.keys(base), ...Object.keys(specs)])].sort()
  return (
    <div className={styles.editor}>
      <Panel title="Available keys" flush>
        <AvailableKeys
          groups={groups}
          taken={specs}
          whyNot={whyNot}
          onAdd={key => {
            const value = valueOfNew(key, { specs, base, known })
            if (value === null) document.getElementById(`${rows}${key}`)?.focus()
            else setDraft(now => withText(now, key, value))
            return value !== null
          }}
        />
      </Panel>
      <Panel
        title="Existing keys"
        aside={<span className="soft">{plural(Object.keys(specs).length, 'key')}</span>}
        flush
      >
        {whyNot !== null && <Note>Nothing can be changed here. {whyNot}</Note>}
        {keys.length === 0 ? (
          <Empty title="Nothing is asked for">
            Choose a key on the left. The catalog knows its values and what can be asked of it.
          </Empty>
        ) : (
          <SpecRows
            ids={rows}
            names={keys}
            type={type}
            draft={draft}
            base={base}
            known={known}
            reports={checked?.keys ?? []}
            whyNot={whyNot}
            whyKept={whyKept}
            setDraft={setDraft}
          />
        )}
        <Theirs theirs={theirs} onTake={takeTheirs} />
        <Told missing={checked?.missing ?? []} warning={state.warning} error={state.error} />
        <div className={styles.foot}>
          {matches?.(specs)}
          <SaveOrUndo
            count={count}
            isTouched={count > 0 || why !== null}
            whyNot={whyNot ?? why}
            isBusy={state.isBusy}
            onUndo={() => setDraft(draftOf(base))}
            onSave={() => void save()}
          />
        </div>
      </Panel>
    </div>
  )
}

const byKey = (groups: readonly KeyGroup[]): ReadonlyMap<string, KnownKey> =>
  new Map(groups.flatMap(({ keys }) => keys).map(key => [key.key, key]))

function Told({
  missing,
  warning,
  error,
}: {
  /** Keys that the others require. */
  readonly missing: readonly string[]
  readonly warning: string | null
  readonly error: unknown
}) {
  return (
    <>
      {missing.length > 0 && <Note tone="warm">Missing: {missing.join(', ')}</Note>}
      {warning !== null && <Note tone="warm">{warning}</Note>}
      {error !== null && <FailureNote error={error} />}
    </>
  )
}

function SaveOrUndo({
  count,
  isTouched,
  whyNot,
  isBusy,
  onUndo,
  onSave,
}: {
  /** How many changes there are to save. */
  readonly count: number
  readonly isTouched: boolean
  readonly whyNot: string | null
  readonly isBusy: boolean
  readonly onUndo: () => void
  readonly onSave: () => void
}) {
  return (
    <span>
      {isTouched && (
        <Button variant="default" mr="xs" onClick={onUndo}>
          Undo all
        </Button>
      )}
      <ActButton
        why={whyNot ?? (count === 0 ? 'Nothing was changed.' : null)}
        loading={isBusy}
        onClick={onSave}
      >
        {count === 0 ? 'Save' : `Save ${plural(count, 'change')}`}
      </ActButton>
    </span>
  )
}

/** A concurrent change. */
function Theirs({ theirs, onTake }: { readonly theirs: SpecChanges; readonly onTake: () => void }) {
  if (countOf(theirs) === 0) return null
  return (
    <Note tone="warm">
      <strong>Someone else has changed this.</strong>
      <p>
        {Object.entries(theirs.set).map(([key, value]) => `${key} is now “${value}”. `)}
        {theirs.removed.map(key => `${key} is gone. `)}
      </p>
      <Button size="compact-xs" variant="default" onClick={onTake}>
        Take theirs, reapply mine
      </Button>
    </Note>
  )
}

const countOf = ({ set, removed }: SpecChanges): number => Object.keys(set).length + removed.length

/** The draft, the value it started from, and the value that the server has now. */
function useDraft(saved: Specs, onSave: (changes: SpecChanges) => Promise<string | null>) {
  const [draft, setDraft] = useState<Draft>(() => draftOf(saved))
  const [base, setBase] = useState<Specs>(saved)
  const [state, setState] = useState<SaveState>(IDLE)
  const changes = specChanges(base, draft.specs)
  const save = async () => {
    setState({ ...IDLE, isBusy: true })
    try {
      const warning = await onSave(changes)
      setBase(draft.specs)
      setState({ ...IDLE, warning })
    } catch (error) {
      setState({ ...IDLE, error })
    }
  }
  const takeTheirs = () => {
    setBase(saved)
    setDraft(({ specs, forms }) => {
      const { set, removed } = specChanges(base, specs)
      const merged: Record<string, string> = { ...saved, ...set }
      for (const key of removed) delete merged[key]
      const open = Object.entries(forms).filter(([key]) => ownValue(merged, key) !== undefined)
      return { specs: merged, forms: Object.fromEntries(open) }
    })
  }
  return { draft, setDraft, base, changes, theirs: specChanges(base, saved), state, save, takeTheirs }
}

interface SaveState {
  readonly error: unknown
  readonly warning: string | null
  readonly isBusy: boolean
}

const IDLE: SaveState = { error: null, warning: null, isBusy: false }

function useKeyGroups(type: ResourceType) {
  const definitions = useQuery({ queryKey: ['catalog', 'definitions'], queryFn: readDefinitions })
  return useMemo(() => keyGroups(definitions.data ?? [], type), [definitions.data, type])
}

function useChecked(type: ResourceType, draft: Specs) {
  const [settled] = useDebouncedValue(draft, 250)
  const query = useQuery({
    queryKey: ['catalog', 'check', type, settled],
    queryFn: () => checkSpecs(type, settled),
    placeholderData: before => before,
  })
  return query.data
}
