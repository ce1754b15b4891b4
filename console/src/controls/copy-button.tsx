import { Button, TextInput } from '@mantine/core'
import { useState } from 'react'
import { Icon } from './icons.tsx'

type State = 'ready' | 'copied' | 'by-hand'

/** Browsers lend the clipboard to pages over HTTPS only; elsewhere the text is shown, ready to be copied by hand. */
export function CopyButton({ text, label }: { readonly text: string; readonly label: string }) {
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
    <Button
      variant="default"
      size="compact-xs"
      leftSection={<Icon name={state === 'copied' ? 'check' : 'copy'} size={13} />}
      onClick={() => void copy()}
    >
      {state === 'copied' ? 'Copied' : label}
    </Button>
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
