import { Button } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useId, useMemo, useState } from 'react'
import { ownValue } from '../../../src/kernel/records.ts'
import type { KeyReport } from '../../../src/wire/catalog-check.ts'
import type { Dialect, Operator, RequirementForm } from '../../../src/wire/operators.ts'
import { checkSpecs, type ResourceType, readDefinitions, readDialects } from '../api/catalog.ts'
import { ActButton } from '../controls/act-button.tsx'
import { ActIcon } from '../controls/act-icon.tsx'
import { Icon } from '../controls/icons.tsx'
import { Chip, Empty, FailureNote, Note, Panel } from '../controls/page.tsx'
import { plural } from '../formats.ts'
import { valueOfNew } from './adding.ts'
import { AvailableKeys } from './available-keys.tsx'
import {
  type Draft,
  draftOf,
  unfinished,
  withForm,
  withoutKey,
  withRenamed,
  withText,
  withWritten,
} from './draft.ts'
import { type KeyGroup, type KnownKey, keyGroups, titleBeside } from './known-keys.ts'
import styles from './metadata-editor.module.css'
import { RequirementField } from './requirement-field.tsx'
import { isCompared, isForced, SENTINELS, sentinelsIn } from './sentinels.ts'
import { type SpecChanges, type Specs, specChanges } from './spec-changes.ts'

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
  const dialect: Dialect = type === 'OS::Manila::ShareType' ? 'manila' : 'nova'
  const operators = useOperators(dialect)
  const { specs, forms } = draft
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
          <ul className={styles.rows}>
            {keys.map(key => (
              <Row
                key={key}
                id={`${rows}${key}`}
                name={key}
                value={ownValue(specs, key)}
                pending={forms[key]}
                before={base[key]}
                known={known.get(key)}
                report={checked?.keys.find(one => one.key === key)}
                dialect={dialect}
                operators={operators}
                isFlavor={type === 'OS::Nova::Flavor'}
                isForcing={type === 'OS::Nova::Aggregate' && isForced(specs)}
                taken={specs}
                whyNot={whyNot}
                whyKept={whyKept(key)}
                setDraft={setDraft}
              />
            ))}
          </ul>
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

function useOperators(dialect: Dialect): readonly Operator[] {
  const dialects = useQuery({
    queryKey: ['dialects'],
    queryFn: readDialects,
    staleTime: Number.POSITIVE_INFINITY,
  })
  return dialects.data?.find(({ name }) => name === dialect)?.operators ?? []
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

type SetDraft = (change: (now: Draft) => Draft) => void

function Row({
  id,
  name,
  value,
  pending,
  before,
  known,
  report,
  dialect,
  operators,
  isFlavor,
  isForcing,
  taken,
  whyNot,
  whyKept,
  setDraft,
}: {
  readonly id: string
  readonly name: string
  /** Undefined: it was removed. */
  readonly value: string | undefined
  readonly pending: RequirementForm | undefined
  readonly before: string | undefined
  readonly known: KnownKey | undefined
  readonly report: KeyReport | undefined
  readonly dialect: Dialect
  readonly operators: readonly Operator[]
  readonly isFlavor: boolean
  readonly isForcing: boolean
  readonly taken: Specs
  readonly whyNot: string | null
  readonly whyKept: string | null
  readonly setDraft: SetDraft
}) {
  return (
    <li id={id} tabIndex={-1} className={styles.row} aria-label={name}>
      <RowHead
        name={name}
        value={value}
        before={before}
        known={known}
        whyNot={whyNot ?? whyKept}
        setDraft={setDraft}
      />
      {value !== undefined && (
        <>
          <RequirementField
            name={name}
            text={value}
            pending={pending}
            property={known?.property}
            dialect={dialect}
            operators={readOperators(report, operators, isForcing && isCompared(name))}
            whyNot={whyNot}
            edits={{
              onText: text => setDraft(now => withText(now, name, text)),
              onForm: form => setDraft(now => withForm(now, name, form)),
              onWritten: (form, text) => setDraft(now => withWritten(now, name, form, text)),
            }}
          />
          {report?.findings.map(({ code, text, suggestion }) => (
            <div key={code + text} className={styles.finding} role="note">
              <Icon name="warning" size={13} /> {text}
              {code === 'key-undefined' && suggestion !== null && (
                <ActButton
                  size="compact-xs"
                  variant="default"
                  why={whyNot ?? (taken[suggestion] === undefined ? null : `${suggestion} is there already.`)}
                  onClick={() => setDraft(now => withRenamed(now, name, suggestion))}
                >
                  Use {suggestion}
                </ActButton>
              )}
            </div>
          ))}
          {(isFlavor && report != null ? report.reader?.sentinels === true : isCompared(name)) && (
            <SentinelHint text={value} isFlavor={isFlavor} isForcing={isForcing} />
          )}
          {report?.reader != null && <p className={styles.hint}>Read by {report.reader.name}.</p>}
        </>
      )}
    </li>
  )
}

function RowHead({
  name,
  value,
  before,
  known,
  whyNot,
  setDraft,
}: {
  readonly name: string
  readonly value: string | undefined
  readonly before: string | undefined
  readonly known: KnownKey | undefined
  readonly whyNot: string | null
  readonly setDraft: SetDraft
}) {
  const mark =
    value === undefined ? 'removed' : before === undefined ? 'new' : before !== value ? 'changed' : null
  return (
    <div className={styles.rowHead}>
      <code className={value === undefined ? styles.gone : ''}>{name}</code>
      {known !== undefined && <span className="soft">{titleBeside(known)}</span>}
      {mark !== null && <Chip tone={mark === 'removed' ? 'hot' : 'accent'}>{mark}</Chip>}
      <span>
        {value === undefined ? (
          <Button
            size="compact-xs"
            variant="default"
            onClick={() => setDraft(now => withText(now, name, before ?? ''))}
          >
            Keep it
          </Button>
        ) : (
          <ActIcon
            label={`Remove ${name}`}
            why={whyNot}
            onClick={() => setDraft(now => withoutKey(now, name))}
          >
            <Icon name="trash" />
          </ActIcon>
        )}
      </span>
    </div>
  )
}

/** An aggregate that forces the check reads one operator; elsewhere the reader of the key decides. */
function readOperators(
  report: KeyReport | undefined,
  operators: readonly Operator[],
  isForcing: boolean,
): readonly Operator[] {
  if (isForcing && report?.key !== 'force_metadata_check')
    return operators.filter(({ symbol }) => symbol === '<or>')
  const reader = report?.reader
  if (reader == null) return operators
  return reader.dialect === null ? [] : operators.filter(({ symbol }) => reader.operators.includes(symbol))
}

/** The three sentinels mean something only where flavors and aggregates are compared. */
function SentinelHint({
  text,
  isFlavor,
  isForcing,
}: {
  readonly text: string
  readonly isFlavor: boolean
  readonly isForcing: boolean
}) {
  const signs = sentinelsIn(text)
  if (signs.length === 0) return null
  if (!isFlavor && !isForcing)
    return (
      <p className={styles.hint}>
        {signs.join(' ')} is plain text here: only an aggregate with force_metadata_check reads signs.
      </p>
    )
  if (signs.includes('!') && signs.length > 1)
    return (
      <p className={styles.hint}>
        ! excludes {signs.filter(sign => sign !== '!').join(' and ')}: together they match nothing.
      </p>
    )
  return (
    <p className={styles.hint}>
      {SENTINELS.filter(([sign]) => signs.includes(sign)).map(([sign, inFlavor, inAggregate]) => (
        <span key={sign}>
          <code>{sign}</code> {isFlavor ? inFlavor : inAggregate}.{' '}
        </span>
      ))}
    </p>
  )
}

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
