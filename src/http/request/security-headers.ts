/** For API answers, which are not pages: load nothing, allow no frame. */
const API_POLICY = "default-src 'none'; frame-ancestors 'none'"

/** For the console: load from and connect to this server only, allow no frame. */
const renderConsolePolicy = (nonce: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')

const YEAR_S = 31_536_000

type SecurityHeaders = Readonly<Record<string, string>>

/** For everything but pages; over TLS, browsers must not use plain HTTP. */
export function apiSecurityHeaders(isTls: boolean): SecurityHeaders {
  return {
    'x-content-type-options': 'nosniff',
    'content-security-policy': API_POLICY,
    'referrer-policy': 'no-referrer',
    ...(isTls ? { 'strict-transport-security': `max-age=${YEAR_S}` } : {}),
  }
}

/** For pages of the console. Styles that its scripts create need a new nonce each time. */
export function pageSecurityHeaders(isTls: boolean, nonce: string): SecurityHeaders {
  return {
    ...apiSecurityHeaders(isTls),
    'content-security-policy': renderConsolePolicy(nonce),
    'x-frame-options': 'DENY',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'permissions-policy': 'camera=(), geolocation=(), microphone=()',
  }
}
