import { Button, NumberInput, Select, TagsInput, TextInput } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { MetadefProperty } from '../../../src/wire/openstack-metadefs.ts'
import type { Dialect, Operator, ParsedRequirement, RequirementForm } from '../../../src/wire/operators.ts'
import { formatRequirement, parseRequirements } from '../api/catalog.ts'
import { Failure } from '../api/http.ts'
import { choicesOf, isNumber } from './known-keys.ts'
import styles from './metadata-editor.module.css'
import { lostByForm, readingOf } from './reading.ts'

const PLAIN = ''

/** Callbacks of a field to the owner of the draft. */
interface Edits {
  /** Typed as a string. */
  readonly onText: (text: string) => void
  /** Chosen in the form; not a string yet unless it is a plain value. */
  readonly onForm: (form: RequirementForm) => void
  /** The server's string for that form. */
  readonly onWritten: (form: RequirementForm, text: string) => void
}

/**
 * One value as a form and as the stored string. The string is the truth: the server parses it into the form, and
 * renders the form as a string.
 */
export function RequirementField({
  name,
  text,
  pending,
  property,
  dialect,
  operators,
  whyNot,
  edits,
}: {
  readonly name: string
  readonly text: string
  /** The choice in the form, until the server has rendered it. */
  readonly pending: RequirementForm | undefined
  readonly property: MetadefProperty | undefined
  readonly dialect: Dialect
  /** Operators that the reader of the key understands; none: values are plain. */
  readonly operators: readonly Operator[]
  /** Why it cannot be changed; null if it can. */
  readonly whyNot: string | null
  readonly edits: Edits
}) {
  const hasOperators = operators.length > 0
  const parsed = useQuery({
    queryKey: parseKey(dialect, text),
    queryFn: async () => (await parseRequirements(dialect, [text], true))[0],
    placeholderData: before => before,
    enabled: hasOperators,
  })
  const { errorOf, write } = useWriting(dialect, edits)
  const now = hasOperators && !parsed.isPlaceholderData ? parsed.data : undefined
  const reading = readingOf(text, hasOperators ? parsed.data : undefined, parsed.isPlaceholderData)
  const form = pending ?? reading.form
  const isReadOnly = whyNot !== null || (pending === undefined && reading.isBehind)
  return (
    <>
      <div className={hasOperators ? styles.fields : ''}>
        {hasOperators && (
          <Select
            aria-label={`Operator of ${name}`}
            title={whyNot ?? undefined}
            readOnly={isReadOnly}
            value={form.kind === 'operator' ? form.operator : PLAIN}
            onChange={symbol => write(withOperator(form, symbol ?? PLAIN, operators))}
            data={operatorOffers(form, property, operators)}
          />
        )}
        <ValueField
          name={name}
          form={form}
          property={property}
          operators={operators}
          isReadOnly={isReadOnly}
          whyNot={whyNot}
          onForm={write}
        />
      </div>
      {hasOperators && (
        <div className={styles.result}>
          <span>stored as</span>
          <TextInput
            aria-label={`Text of ${name}`}
            title={whyNot ?? undefined}
            readOnly={whyNot !== null}
            value={text}
            onChange={event => edits.onText(event.currentTarget.value)}
          />
        </div>
      )}
      {now !== undefined && (
        <Remarks text={text} parsed={now} isOff={whyNot !== null} onText={edits.onText} />
      )}
      {errorOf(pending) !== null && (
        <p className={styles.finding} role="alert">
          {errorOf(pending)}
        </p>
      )}
    </>
  )
}

const parseKey = (dialect: Dialect, text: string) => ['operators', 'parse', dialect, text]

/** Warnings of the server about the string. */
function Remarks({
  text,
  parsed,
  isOff,
  onText,
}: {
  readonly text: string
  readonly parsed: ParsedRequirement
  readonly isOff: boolean
  readonly onText: (text: string) => void
}) {
  const lost = lostByForm(text, parsed)
  return (
    <>
      {parsed.repaired && (
        <p className={styles.finding}>
          Written with commas, as dashboards do, it means something else than was chosen.
          {!isOff && (
            <Button size="compact-xs" variant="default" onClick={() => onText(parsed.text)}>
              Make it {parsed.text}
            </Button>
          )}
        </p>
      )}
      {lost !== null && (
        <p className={styles.finding} role="note">
          {lost}
          {!isOff && (
            <Button size="compact-xs" variant="default" onClick={() => onText(parsed.text)}>
              Make it {parsed.text}
            </Button>
          )}
        </p>
      )}
      {parsed.warnings.map(warning => (
        <p key={warning} className={styles.finding}>
          {warning}
        </p>
      ))}
    </>
  )
}

/** The operators that the property allows; the one in use stays, allowed or not. */
function operatorOffers(
  form: RequirementForm,
  property: MetadefProperty | undefined,
  operators: readonly Operator[],
) {
  const allowed = property?.operators
  const inUse = form.kind === 'operator' ? form.operator : null
  const offered = operators.filter(
    ({ symbol }) => symbol === inUse || property === undefined || (allowed ?? []).includes(symbol),
  )
  return [
    { value: PLAIN, label: 'is, plainly' },
    ...offered.map(({ symbol, meaning }) => ({ value: symbol, label: `${symbol}  ${meaning}` })),
  ]
}

function withOperator(
  form: RequirementForm,
  symbol: string,
  operators: readonly Operator[],
): RequirementForm {
  const words = form.kind === 'operator' ? form.operands : form.text.trim() === '' ? [] : [form.text.trim()]
  if (symbol === PLAIN) return { kind: 'literal', text: words.join(' ') }
  const isOne = operators.find(one => one.symbol === symbol)?.takes === 'one'
  return { kind: 'operator', operator: symbol, operands: isOne ? words.slice(0, 1) : words }
}

function ValueField({
  name,
  form,
  property,
  operators,
  isReadOnly,
  whyNot,
  onForm,
}: {
  readonly name: string
  readonly form: RequirementForm
  readonly property: MetadefProperty | undefined
  readonly operators: readonly Operator[]
  readonly isReadOnly: boolean
  readonly whyNot: string | null
  readonly onForm: (form: RequirementForm) => void
}) {
  const choices = choicesOf(property)
  const takes =
    form.kind === 'operator' ? operators.find(({ symbol }) => symbol === form.operator)?.takes : 'one'
  const label = { 'aria-label': `Value of ${name}`, readOnly: isReadOnly, title: whyNot ?? undefined }
  if (form.kind === 'operator' && takes === 'several')
    return (
      <TagsInput
        {...label}
        aria-label={`Values of ${name}`}
        data={[...choices]}
        placeholder="Values"
        value={[...form.operands]}
        onChange={operands => onForm({ ...form, operands })}
      />
    )
  const value = form.kind === 'literal' ? form.text : form.operands.join(' ')
  const set = (next: string) =>
    onForm(
      form.kind === 'literal'
        ? { kind: 'literal', text: next }
        : { ...form, operands: next === '' ? [] : [next] },
    )
  if (choices.length > 0)
    return (
      <Select
        {...label}
        searchable
        data={[...new Set([...choices, ...(value === '' ? [] : [value])])]}
        value={value === '' ? null : value}
        onChange={next => set(next ?? '')}
      />
    )
  if (isNumber(property) && /^-?\d*(?:\.\d*)?$/.test(value))
    return (
      <NumberInput
        {...label}
        allowDecimal={property?.type === 'number'}
        value={value}
        onChange={next => set(String(next))}
      />
    )
  return <TextInput {...label} value={value} onChange={event => set(event.currentTarget.value)} />
}

/** The server renders a form as text; until then, the form is shown as chosen. */
function useWriting(dialect: Dialect, { onForm, onWritten }: Edits) {
  const queries = useQueryClient()
  const [refused, setRefused] = useState<{ readonly form: RequirementForm; readonly text: string } | null>(
    null,
  )
  const write = async (form: RequirementForm) => {
    onForm(form)
    if (form.kind === 'literal' || form.operands.length === 0) return
    try {
      const { text, warnings } = await formatRequirement(dialect, form)
      // It was rendered by the server, so there is no need to wait for it to be parsed.
      const key = parseKey(dialect, text)
      if (queries.getQueryData(key) === undefined)
        queries.setQueryData(key, { form, text, ignored: [], repaired: false, warnings }, { updatedAt: 1 })
      onWritten(form, text)
    } catch (caught) {
      setRefused({ form, text: caught instanceof Failure ? caught.message : String(caught) })
    }
  }
  return {
    /** Why this form cannot be written; null if it may. */
    errorOf: (form: RequirementForm | undefined) =>
      refused !== null && refused.form === form ? refused.text : null,
    write: (form: RequirementForm) => void write(form),
  }
}
