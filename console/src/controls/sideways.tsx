import { type ReactNode, useEffect, useRef, useState } from 'react'
import styles from './sideways.module.css'

/** A table that scrolls sideways. While it overflows, it is focusable, and arrow keys scroll it. */
export function Sideways({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  const frame = useRef<HTMLDivElement>(null)
  const [isCut, setCut] = useState(false)
  useEffect(() => {
    const element = frame.current as HTMLDivElement
    const observer = new ResizeObserver(() => setCut(element.scrollWidth > element.clientWidth))
    observer.observe(element)
    for (const child of element.children) observer.observe(child)
    return () => observer.disconnect()
  }, [])
  return (
    <div
      ref={frame}
      role="group"
      className={styles.frame}
      aria-label={label}
      {...(isCut ? { tabIndex: 0 } : {})}
    >
      {children}
    </div>
  )
}
