import { Button } from '@mantine/core'
import { useState } from 'react'
import { Icon } from './icons.tsx'

export function CopyButton({ text, label }: { readonly text: string; readonly label: string }) {
  const [copied, setCopied] = useState(false)
  const copy = async () => {
    await navigator.clipboard.writeText(text)
    setCopied(true)
    setTimeout(() => setCopied(false), 1_500)
  }
  return (
    <Button
      variant="default"
      size="compact-xs"
      leftSection={<Icon name={copied ? 'check' : 'copy'} size={13} />}
      onClick={() => void copy()}
    >
      {copied ? 'Copied' : label}
    </Button>
  )
}
