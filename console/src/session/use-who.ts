import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useState } from 'react'
import type { Whoami } from '../../../src/wire/admin.ts'
import { carryToken, Failure } from '../api/http.ts'
import { forgetToken, keepToken, keptToken, tokenOfAddress } from './kept-token.ts'
import { askOtherTabs } from './other-tabs.ts'
import { signIn } from './session.tsx'

/** The signed-in user, by the token that this tab or another one has kept. A token in the address is used only after a question. */
export function useWho() {
  const queries = useQueryClient()
  const [who, setWho] = useState<Whoami | null>(null)
  const [hint, setHint] = useState<string | null>(null)
  const [isTrying, setTrying] = useState(true)
  /** From the address, and not the one that is kept. */
  const [brought, setBrought] = useState<string | null>(null)
  const enter = useCallback(
    (entered: Whoami, token: string) => {
      carryToken(token, () => {
        forgetToken()
        carryToken(null)
        // The next user may not be allowed to see cached answers of this one.
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
  const leave = useCallback((said: string | null) => {
    setWho(null)
    setHint(said)
  }, [])
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
    const kept = keptToken()
    if (kept !== null) tryToken(kept)
  }, [tryToken])
  useEffect(() => {
    const given = tokenOfAddress()
    const begin = () => {
      const kept = keptToken()
      if (kept !== null && (given === null || given === kept)) return tryToken(kept)
      // The link may be forged: ask before signing in as another user.
      setBrought(given)
      setTrying(false)
    }
    if (keptToken() !== null) return begin()
    void askOtherTabs().then(session => {
      if (session !== null) keepToken(session.token, session.isOwn)
      begin()
    })
  }, [tryToken])
  return { who, hint, isTrying, enter, leave, brought, stay }
}
