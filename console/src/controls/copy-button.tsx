import { TextInput } from '@mantine/core'
import { useState } from 'react'
import { ActButton } from './act-button.tsx'
import { Icon } from './icons.tsx'

type State = 'ready' | 'copied' | 'by-hand'

/** Browsers give the clipboard to HTTPS pages only; elsewhere the text is shown for copying by hand. */
export function CopyButton({
  text,
  label,
  why = null,
}: {
  readonly text: string
  readonly label: string
  /** Why there is nothing to copy; null: there is. */
  readonly why?: string | null
}) {
  const [state, setState] = useState<State>('ready')
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text)
    } catch {
      return setState('by-hand')
    }
    setState('copied')
    setTimeout(() => setState('ready'), 1_500)
  }
  if (state === 'by-hand') return <ByHand text={text} onDone={() => setState('ready')} />
  return (
    <ActButton
      why={why}
      variant="default"
      size="compact-xs"
      leftSection={<Icon name={state === 'copied' ? 'check' : 'copy'} size={13} />}
      onClick={() => void copy()}
    >
      {state === 'copied' ? 'Copied' : label}
    </ActButton>
  )
}

function ByHand({ text, onDone }: { readonly text: string; readonly onDone: () => void }) {
  return (
    <TextInput
      size="xs"
      label="Press Ctrl+C"
      description="The browser lets only pages over HTTPS copy."
      readOnly
      autoFocus
      value={text}
      onFocus={event => event.currentTarget.select()}
      onBlur={onDone}
      onKeyDown={event => event.key === 'Escape' && onDone()}
    />
  )
}
