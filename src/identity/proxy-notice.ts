import type { IncomingHttpHeaders } from 'node:http'
import type { Authenticator } from '../http/authenticator.ts'
import type { Log } from '../http/ops/log.ts'

const BY_PROXIES = ['x-forwarded-for', 'forwarded'] as const

/** Logs once that requests come through a proxy that is not trusted. */
export function warnOfProxy(inner: Authenticator, log: Pick<Log, 'warn'>): Authenticator {
  let isNoticed = false
  const notice = (headers: IncomingHttpHeaders): void => {
    const header = BY_PROXIES.find(name => headers[name] !== undefined)
    if (header === undefined) return
    isNoticed = true
    log.warn('a proxy is not trusted', {
      header,
      text:
        'requests come through a proxy, and trust_proxy is off: failed sign-ins of all who use it count as from one ' +
        'address. Set trust_proxy if this server is reachable only through the proxy',
    })
  }
  return {
    ...inner,
    authenticate(headers) {
      if (!isNoticed) notice(headers)
      return inner.authenticate(headers)
    },
  }
}
