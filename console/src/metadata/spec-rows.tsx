import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { ownValue } from '../../../src/kernel/records.ts'
import type { KeyReport } from '../../../src/wire/catalog-check.ts'
import type { Dialect, Operator, RequirementForm } from '../../../src/wire/operators.ts'
import { type ResourceType, readDialects } from '../api/catalog.ts'
import { ActButton } from '../controls/act-button.tsx'
import { ActIcon } from '../controls/act-icon.tsx'
import { Icon } from '../controls/icons.tsx'
import { Chip } from '../controls/page.tsx'
import { type KnownKey, titleBeside } from './known-keys.ts'
import { type Draft, withForm, withoutKey, withRenamed, withText, withWritten } from './metadata-draft.ts'
import styles from './metadata-editor.module.css'
import { RequirementField } from './requirement-field.tsx'
import { isCompared, isForced, SENTINELS, sentinelsIn } from './sentinels.ts'
import type { Specs } from './spec-changes.ts'

type SetDraft = (change: (now: Draft) => Draft) => void

/** The keys of a draft and those it removes, each with its value, its findings and who reads it. */
export function SpecRows({
  ids,
  names,
  type,
  draft,
  base,
  known,
  reports,
  whyNot,
  whyKept,
  setDraft,
}: {
  /** Starts the id of each row. */
  readonly ids: string
  readonly names: readonly string[]
  readonly type: ResourceType
  readonly draft: Draft
  /** What the draft started from. */
  readonly base: Specs
  readonly known: ReadonlyMap<string, KnownKey>
  readonly reports: readonly KeyReport[]
  readonly whyNot: string | null
  readonly whyKept: (key: string) => string | null
  readonly setDraft: SetDraft
}) {
  const { specs, forms } = draft
  const dialect: Dialect = type === 'OS::Manila::ShareType' ? 'manila' : 'nova'
  const operators = useOperators(dialect)
  return (
    <ul className={styles.rows}>
      {names.map(name => (
        <Row
          key={name}
          id={`${ids}${name}`}
          name={name}
          value={ownValue(specs, name)}
          pending={forms[name]}
          before={base[name]}
          known={known.get(name)}
          report={reports.find(one => one.key === name)}
          dialect={dialect}
          operators={operators}
          isFlavor={type === 'OS::Nova::Flavor'}
          isForcing={type === 'OS::Nova::Aggregate' && isForced(specs)}
          taken={specs}
          whyNot={whyNot}
          whyKept={whyKept(name)}
          setDraft={setDraft}
        />
      ))}
    </ul>
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
