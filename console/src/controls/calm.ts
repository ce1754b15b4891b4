import { useEffect, useState } from 'react'

/** Throttles a value; the last one always arrives. */
export function useCalm<Value>(value: Value, ms: number): Value {
  const [calm, setCalm] = useState(value)
  const [readyMs, setReadyMs] = useState(0)
  useEffect(() => {
    if (Object.is(calm, value)) return
    const timer = setTimeout(
      () => {
        setCalm(value)
        setReadyMs(performance.now() + ms)
      },
      Math.max(0, readyMs - performance.now()),
    )
    return () => clearTimeout(timer)
  }, [value, calm, readyMs, ms])
  return ms === 0 ? value : calm
}
