import { type ReactNode, useEffect, useRef } from 'react'
import styles from './chooser.module.css'

/** In pixels of the window. */
export interface Box {
  readonly left: number
  readonly top: number
  readonly right: number
  readonly bottom: number
}

/** Canvases, whose hosts are no elements: each tells which of its hosts are in a box. */
export class Boards {
  readonly #all = new Set<(box: Box) => readonly string[]>()

  readonly add = (hostsIn: (box: Box) => readonly string[]): (() => void) => {
    this.#all.add(hostsIn)
    return () => this.#all.delete(hostsIn)
  }

  hostsIn(box: Box): string[] {
    return [...this.#all].flatMap(hostsIn => hostsIn(box))
  }
}

/** A shorter way is a click. */
const LASSO_PX = 6

interface Start {
  readonly x: number
  readonly y: number
  box: Box | null
}

/**
 * Chooses what is clicked, or pressed with the space bar, instead of opening it, and all that a box touches which is drawn
 * with the mouse.
 */
export function Chooser({
  isOn,
  boards,
  hostsOf,
  onToggle,
  onAdd,
  children,
}: {
  readonly isOn: boolean
  readonly boards: Boards
  /** The hosts of a rack by its name. */
  readonly hostsOf: (rack: string) => readonly string[]
  readonly onToggle: (hosts: readonly string[]) => void
  readonly onAdd: (hosts: readonly string[]) => void
  readonly children: ReactNode
}) {
  const frame = useRef<HTMLDivElement>(null)
  const lasso = useRef<HTMLDivElement>(null)
  const now = useRef({ hostsOf, onToggle, onAdd })
  now.current = { hostsOf, onToggle, onAdd }
  useEffect(() => {
    if (!isOn) return
    const element = frame.current as HTMLDivElement
    const hostsOf = (target: Element): readonly string[] => {
      const { host, rack } = (target as HTMLElement).dataset
      return host !== undefined ? [host] : now.current.hostsOf(rack as string)
    }
    return listen(element, lasso.current as HTMLDivElement, {
      toggle: target => now.current.onToggle(hostsOf(target)),
      add: box => {
        const touched = [...element.querySelectorAll(PICKED)].filter(one => meets(one, box))
        const hosts = [...touched.flatMap(hostsOf), ...boards.hostsIn(box)]
        if (hosts.length > 0) now.current.onAdd(hosts)
      },
    })
  }, [isOn, boards])
  return (
    <div ref={frame} className={styles.frame} data-on={isOn}>
      {children}
      <div ref={lasso} className={styles.lasso} hidden />
    </div>
  )
}

const PICKED = '[data-host], [data-rack]'

const meets = (element: Element, box: Box): boolean => {
  const { left, top, right, bottom } = element.getBoundingClientRect()
  return left < box.right && right > box.left && top < box.bottom && bottom > box.top
}

interface Acts {
  readonly toggle: (target: Element) => void
  readonly add: (box: Box) => void
}

/** Listeners of the document see a click before any link does. Returns what removes them. */
function listen(element: HTMLElement, lasso: HTMLElement, { toggle, add }: Acts): () => void {
  let start: Start | null = null
  let hasDrawn = false
  const ending = new AbortController()
  const on = <Name extends keyof HTMLElementEventMap>(
    target: HTMLElement | Window,
    name: Name,
    listener: (event: HTMLElementEventMap[Name]) => void,
  ) => target.addEventListener(name, listener as EventListener, { capture: true, signal: ending.signal })
  const end = () => {
    start = null
    lasso.hidden = true
  }
  on(element, 'pointerdown', event => {
    hasDrawn = false
    if (event.button === 0 && event.pointerType !== 'touch')
      start = { x: event.clientX, y: event.clientY, box: null }
  })
  on(window, 'pointermove', event => {
    if (start === null) return
    const { clientX: x, clientY: y } = event
    if (start.box === null && Math.hypot(x - start.x, y - start.y) < LASSO_PX) return
    start.box = {
      left: Math.min(x, start.x),
      right: Math.max(x, start.x),
      top: Math.min(y, start.y),
      bottom: Math.max(y, start.y),
    }
    showBox(lasso, start.box)
  })
  on(window, 'pointerup', () => {
    const box = start?.box ?? null
    end()
    if (box === null) return
    hasDrawn = true
    add(box)
  })
  on(window, 'pointercancel', end)
  on(window, 'keydown', event => {
    if (event.key === 'Escape' && start !== null) end()
  })
  on(element, 'dragstart', event => event.preventDefault())
  on(element, 'click', event => {
    const target = (event.target as Element).closest(PICKED)
    if (hasDrawn) {
      hasDrawn = false
      event.preventDefault()
      event.stopPropagation()
    } else if (target !== null && !event.ctrlKey && !event.metaKey) {
      // The link sees that it is not to be followed.
      event.preventDefault()
      toggle(target)
    }
  })
  on(element, 'keydown', event => {
    const target = (event.target as Element).closest(PICKED)
    if (event.key !== ' ' || target === null) return
    event.preventDefault()
    toggle(target)
  })
  return () => ending.abort()
}

function showBox(lasso: HTMLElement, { left, top, right, bottom }: Box): void {
  lasso.hidden = false
  lasso.style.left = `${left}px`
  lasso.style.top = `${top}px`
  lasso.style.width = `${right - left}px`
  lasso.style.height = `${bottom - top}px`
}
