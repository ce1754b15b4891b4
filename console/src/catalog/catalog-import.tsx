import { Button, FileButton, Select, Textarea } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { ownValue } from '../../../src/kernel/records.ts'
import type {
  CatalogDifference,
  CatalogImportReport,
  CatalogMerge,
} from '../../../src/wire/catalog-import.ts'
import { importDefinitions } from '../api/catalog.ts'
import { ActButton } from '../controls/act-button.tsx'
import { Chip, FailureNote, Note, Page, Panel, type Tone } from '../controls/page.tsx'
import { plural } from '../formats.ts'
import { useSession } from '../session/session.tsx'
import styles from './catalog-tabs.module.css'
import { CatalogTabs } from './catalog-tabs.tsx'

const MERGES: readonly { readonly value: CatalogMerge; readonly label: string }[] = [
  { value: 'skip', label: 'Leave what is there' },
  { value: 'add', label: 'Add what is missing' },
  { value: 'prefer-new', label: 'Add, and prefer the new' },
  { value: 'overwrite', label: 'Make it exactly so' },
]

/** Shows the difference first, then imports the same text. */
export default function CatalogImport() {
  const { whyNot } = useSession()
  const [text, setText] = useState('')
  const [merge, setMerge] = useState<CatalogMerge>('add')
  const queries = useQueryClient()
  const compare = useMutation({ mutationFn: () => importDefinitions(text, merge, true) })
  const apply = useMutation({
    mutationFn: () => importDefinitions(text, merge, false),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['catalog'] }),
  })
  const reset = () => {
    compare.reset()
    apply.reset()
  }
  const changeText = (changed: string) => {
    setText(changed)
    reset()
  }
  const why = whyNot('berth:catalog:import')
  const report = apply.data ?? compare.data
  return (
    <Page
      title="Catalog"
      text="Definitions as Glance ships them, or as Berth exports them. You see the difference before anything is written."
    >
      <CatalogTabs at="/catalog/import" />
      <Panel title="Definitions">
        <DefinitionText text={text} onChange={changeText} />
        <div className={styles.tools}>
          <ChooseFile onText={changeText} />
          <Select
            label="A namespace that is there already"
            w={220}
            data={MERGES as never}
            value={merge}
            onChange={value => {
              setMerge((value ?? 'add') as CatalogMerge)
              reset()
            }}
          />
          <ActButton
            variant="default"
            why={why ?? (text.trim() === '' ? 'There is nothing to compare yet.' : null)}
            loading={compare.isPending}
            onClick={() => compare.mutate()}
          >
            Show the difference
          </ActButton>
          <ActButton
            why={why ?? (compare.data === undefined ? 'Look at the difference first.' : null)}
            loading={apply.isPending}
            onClick={() => apply.mutate()}
          >
            Import
          </ActButton>
        </div>
      </Panel>
      {compare.error !== null && <FailureNote error={compare.error} />}
      {apply.error !== null && <FailureNote error={apply.error} />}
      {apply.data !== undefined && <Note tone="good">Imported. This is what was done.</Note>}
      {report !== undefined && <Report report={report} />}
    </Page>
  )
}

function DefinitionText({
  text,
  onChange,
}: {
  readonly text: string
  readonly onChange: (text: string) => void
}) {
  return (
    <Textarea
      label="JSON"
      autosize
      minRows={6}
      maxRows={16}
      styles={{ input: { fontFamily: 'var(--mono)', fontSize: '0.8rem' } }}
      placeholder='{"namespace": "Acme::Storage", "properties": {"tier": {"title": "Tier", "type": "string", "enum": ["gold", "silver"]}}}'
      value={text}
      onChange={event => onChange(event.currentTarget.value)}
    />
  )
}

function ChooseFile({ onText }: { readonly onText: (text: string) => void }) {
  return (
    <FileButton accept="application/json" onChange={file => void file?.text().then(onText)}>
      {props => (
        <Button {...props} variant="default">
          Choose a file
        </Button>
      )}
    </FileButton>
  )
}

const TONES: Readonly<Record<string, Tone>> = {
  created: 'good',
  added: 'good',
  updated: 'warm',
  changed: 'warm',
  removed: 'hot',
}

function Report({ report }: { readonly report: CatalogImportReport }) {
  return (
    <div className={styles.diff}>
      {report.namespaces.map(({ namespace, outcome, differences }) => (
        <Panel
          key={namespace}
          title={namespace}
          aside={
            <>
              <Chip tone={ownValue(TONES, outcome) ?? 'plain'}>{outcome}</Chip>
              <span className="soft">{plural(differences.length, 'difference')}</span>
            </>
          }
          flush
        >
          <ul className={styles.list}>
            {differences.map(one => (
              <DifferenceRow key={`${one.part}/${one.name}`} difference={one} />
            ))}
            {differences.length === 0 && <li className="soft">Nothing differs.</li>}
          </ul>
        </Panel>
      ))}
    </div>
  )
}

function DifferenceRow({ difference }: { readonly difference: CatalogDifference }) {
  const { part, name, action, before, after } = difference
  return (
    <li>
      <Chip tone={ownValue(TONES, action) ?? 'plain'}>{action}</Chip> {part} <code>{name}</code>
      {(before !== undefined || after !== undefined) && (
        <div className={styles.sides}>
          <pre className={styles.before}>
            {before === undefined ? 'nothing' : JSON.stringify(before, null, 2)}
          </pre>
          <pre className={styles.after}>
            {after === undefined ? 'nothing' : JSON.stringify(after, null, 2)}
          </pre>
        </div>
      )}
    </li>
  )
}
