import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useState } from 'react'
import type { Whoami } from '../api/berth.ts'
import { carryToken, Failure } from '../api/http.ts'
import { forgetToken, keptToken, tokenOfAddress } from './kept-token.ts'
import { signIn } from './session.tsx'

/** Who is signed in: by a token that came with the address, or that this tab has kept. */
export function useWho() {
  const queries = useQueryClient()
  const [who, setWho] = useState<Whoami | null>(null)
  const [hint, setHint] = useState<string | null>(null)
  const [isTrying, setTrying] = useState(true)
  /** Came with the address, while another is kept. */
  const [brought, setBrought] = useState<string | null>(null)
  const enter = useCallback(
    (entered: Whoami, token: string) => {
      carryToken(token, () => {
        forgetToken()
        carryToken(null)
        // Whoever comes next may not be allowed to see what this one was told.
        queries.clear()
        setWho(null)
        setHint('The server no longer takes the token. Sign in again; you will be back where you were.')
      })
      setHint(null)
      setBrought(null)
      setWho(entered)
    },
    [queries],
  )
  const leave = useCallback(() => setWho(null), [])
  const tryToken = useCallback(
    (token: string) => {
      setTrying(true)
      signIn(token)
        .then(entered => enter(entered, token))
        .catch(error => {
          if (error instanceof Failure && error.status === 401 && token === keptToken()) forgetToken()
          setHint(error instanceof Error ? error.message : String(error))
        })
        .finally(() => setTrying(false))
    },
    [enter],
  )
  const stay = useCallback(() => {
    setBrought(null)
    tryToken(keptToken() ?? '')
  }, [tryToken])
  useEffect(() => {
    const [given, kept] = [tokenOfAddress(), keptToken()]
    const token = given ?? kept
    if (token !== null && (kept === null || kept === token)) return tryToken(token)
    setBrought(given)
    setTrying(false)
  }, [tryToken])
  return { who, hint, isTrying, enter, leave, brought, stay }
}
