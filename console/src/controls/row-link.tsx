import type { MouseEvent, ReactNode } from 'react'
import { navigate } from 'wouter/use-browser-location'

/** A link that is cheap to render: each link of the router listens to the address, and a table has many. */
export function RowLink({ href, children }: { readonly href: string; readonly children: ReactNode }) {
  return (
    <a href={href} onClick={follow}>
      {children}
    </a>
  )
}

function follow(event: MouseEvent<HTMLAnchorElement>): void {
  const isPlain = !(event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) && event.button === 0
  if (!isPlain) return
  event.preventDefault()
  navigate(event.currentTarget.getAttribute('href') as string)
}
