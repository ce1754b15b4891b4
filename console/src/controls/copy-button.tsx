import { useState } from 'react'
import { ActButton } from './act-button.tsx'
import { Icon } from './icons.tsx'

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
  const [copied, setCopied] = useState(false)
  const copy = async () => {
    await navigator.clipboard.writeText(text)
    setCopied(true)
    setTimeout(() => setCopied(false), 1_500)
  }
  return (
    <ActButton
      why={why}
      variant="default"
      size="compact-xs"
      leftSection={<Icon name={copied ? 'check' : 'copy'} size={13} />}
      onClick={() => void copy()}
    >
      {copied ? 'Copied' : label}
    </ActButton>
  )
}
