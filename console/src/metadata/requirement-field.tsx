import { Button, NumberInput, Select, TagsInput, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import {
  type Dialect,
  type Form,
  formatRequirement,
  type Operator,
  type Property,
  parseRequirements,
} from '../api/catalog.ts'
import { Failure } from '../api/http.ts'
import { choicesOf, isNumber } from './known-keys.ts'
import styles from './metadata-editor.module.css'

const PLAIN = ''

/**
 * One value as a form and as the string that is stored. The string is the truth: the form is what the server reads in it,
 * and what the form says becomes a string by the server too.
 */
export function RequirementField({
  name,
  text,
  property,
  dialect,
  operators,
  isReadOnly,
  onText,
}: {
  readonly name: string
  readonly text: string
  readonly property: Property | undefined
  readonly dialect: Dialect
  /** Those that the reader of the key understands; none: values are plain. */
  readonly operators: readonly Operator[]
  readonly isReadOnly: boolean
  readonly onText: (text: string) => void
}) {
  const hasOperators = operators.length > 0
  const parsed = useQuery({
    queryKey: ['operators', 'parse', dialect, text],
    queryFn: async () => (await parseRequirements(dialect, [text], true))[0],
    placeholderData: before => before,
    enabled: hasOperators,
  })
  const { pending, error, write } = useWriting(dialect, onText)
  const literal: Form = { kind: 'literal', text }
  const form: Form =
    pending ?? (hasOperators ? (parsed.data?.repaired ? literal : (parsed.data?.form ?? literal)) : literal)
  const repaired = hasOperators && parsed.data?.repaired === true ? parsed.data.text : null
  return (
    <>
      <div className={hasOperators ? styles.fields : ''}>
        {hasOperators && (
          <Select
            aria-label={`Operator of ${name}`}
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
          onForm={write}
        />
      </div>
      {hasOperators && (
        <div className={styles.result}>
          <span>stored as</span>
          <TextInput
            aria-label={`Text of ${name}`}
            readOnly={isReadOnly}
            value={text}
            onChange={event => onText(event.currentTarget.value)}
          />
        </div>
      )}
      {repaired !== null && (
        <p className={styles.finding}>
          Written with commas, as dashboards do, it means something else than was chosen.
          <Button size="compact-xs" variant="default" onClick={() => onText(repaired)}>
            Make it {repaired}
          </Button>
        </p>
      )}
      {parsed.data?.warnings.map(warning => (
        <p key={warning} className={styles.finding}>
          {warning}
        </p>
      ))}
      {error !== null && (
        <p className={styles.finding} role="alert">
          {error}
        </p>
      )}
    </>
  )
}

/** The operators that the property allows; the one in use stays, allowed or not. */
function operatorOffers(form: Form, property: Property | undefined, operators: readonly Operator[]) {
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

function withOperator(form: Form, symbol: string, operators: readonly Operator[]): Form {
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
  onForm,
}: {
  readonly name: string
  readonly form: Form
  readonly property: Property | undefined
  readonly operators: readonly Operator[]
  readonly isReadOnly: boolean
  readonly onForm: (form: Form) => void
}) {
  const choices = choicesOf(property)
  const takes =
    form.kind === 'operator' ? operators.find(({ symbol }) => symbol === form.operator)?.takes : 'one'
  const label = { 'aria-label': `Value of ${name}`, readOnly: isReadOnly }
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
  if (isNumber(property) && /^-?\d*\.?\d*$/.test(value))
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

/** A form becomes text at the server; until it has, the form is shown as it was typed. */
function useWriting(dialect: Dialect, onText: (text: string) => void) {
  const [pending, setPending] = useState<Form | null>(null)
  const [error, setError] = useState<string | null>(null)
  const latest = useRef(0)
  const write = async (form: Form) => {
    const turn = ++latest.current
    setError(null)
    if (form.kind === 'literal') {
      setPending(null)
      return onText(form.text)
    }
    setPending(form)
    if (form.operands.length === 0) return
    try {
      const { text } = await formatRequirement(dialect, form)
      if (turn !== latest.current) return
      onText(text)
      setPending(null)
    } catch (caught) {
      if (turn === latest.current) setError(caught instanceof Failure ? caught.message : String(caught))
    }
  }
  return { pending, error, write: (form: Form) => void write(form) }
}
