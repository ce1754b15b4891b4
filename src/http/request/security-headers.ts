/** Nothing of the API is a page: it loads nothing, is shown in no frame, and is what it says it is. */
const API_POLICY = "default-src 'none'; frame-ancestors 'none'"

/** The console loads what this server has and nothing else, talks to nobody else, and is shown in no frame. */
const consolePolicy = (nonce: string): string =>
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

/** For everything that is no page; over TLS, browsers are told to come by no other way. */
export function apiSecurityHeaders(isTls: boolean): SecurityHeaders {
  return {
    'x-content-type-options': 'nosniff',
    'content-security-policy': API_POLICY,
    'referrer-policy': 'no-referrer',
    ...(isTls ? { 'strict-transport-security': `max-age=${YEAR_S}` } : {}),
  }
}

/** For the pages of the console, in place of the above. Styles that its scripts make need a word that is new each time. */
export function pageSecurityHeaders(isTls: boolean, nonce: string): SecurityHeaders {
  return {
    ...apiSecurityHeaders(isTls),
    'content-security-policy': consolePolicy(nonce),
    'x-frame-options': 'DENY',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'permissions-policy': 'camera=(), geolocation=(), microphone=()',
  }
}
