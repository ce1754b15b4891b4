import { expect, test } from 'vitest'
import {
  type ErrorFacts,
  renderBareError,
  renderError,
  renderExplainedError,
  stripTags,
} from './error-document.ts'

const facts = (more: Partial<ErrorFacts>): ErrorFacts => ({
  status: 404,
  message: '',
  requestId: 'req-1',
  method: 'GET',
  accept: undefined,
  contentType: undefined,
  ...more,
})
const errorOf = (more: Partial<ErrorFacts>) => JSON.parse(renderError(facts(more)).body).errors[0]

test('JSON is the form when Accept is absent, empty, the wildcard or application/json', () => {
  for (const accept of [undefined, '', '*/*', 'application/json'])
    expect(renderError(facts({ accept })).contentType).toBe('application/json')
})

test('an Accept without JSON gets HTML if that fits, plain text otherwise, HTML when it is garbage', () => {
  expect(renderError(facts({ accept: 'text/html' })).contentType).toBe('text/html; charset=UTF-8')
  expect(renderError(facts({ accept: 'text/plain' })).contentType).toBe('text/plain; charset=UTF-8')
  expect(renderError(facts({ accept: 'pony' })).contentType).toBe('text/html; charset=UTF-8')
  expect(renderError(facts({ accept: 'text/html,*/*;q=0.8' })).contentType).toBe('text/html; charset=UTF-8')
})

test('detail is the generic sentence, a blank line, the message, and the blanks clients always got', () => {
  expect(errorOf({ message: 'No resource provider\nwith uuid x\r found' })).toEqual({
    status: 404,
    title: 'Not Found',
    detail: 'The resource could not be found.\n\n No resource provider with uuid x found  ',
    request_id: 'req-1',
  })
  expect(errorOf({}).detail).toBe('The resource could not be found.\n\n   ')
})

test('405 names the method, 406 the Accept header, 415 the content type', () => {
  expect(errorOf({ status: 405, method: 'DELETE', message: 'No.' }).detail).toBe(
    'The method DELETE is not allowed for this resource. \n\n No.',
  )
  expect(errorOf({ status: 406, message: 'Only this' }).detail).toBe(
    'The resource could not be generated that was acceptable to your browser ' +
      '(content of type application/json. \n\n Only this',
  )
  expect(errorOf({ status: 415, message: 'Use JSON' }).detail).toBe(
    'The request media type None is not supported by this server. \n\n Use JSON',
  )
  expect(renderError(facts({ status: 406, accept: 'text/plain', message: 'x' })).body).toBe(
    '406 Not Acceptable\n\nThe resource could not be generated that was acceptable to your browser ' +
      '(content of type text/plain. \n\n x',
  )
})

test('code and version range are shown only when given', () => {
  expect(errorOf({ code: 'placement.undefined_code' }).code).toBe('placement.undefined_code')
  const refused = errorOf({ status: 406, versions: { min: '1.0', max: '1.40' } })
  expect(refused).toMatchObject({ min_version: '1.0', max_version: '1.40' })
  expect(refused).not.toHaveProperty('code')
})

test('HTML escapes what the request brought along', () => {
  const { body } = renderError(
    facts({ status: 415, accept: 'text/html', contentType: 'x/<b>', message: `"é" & 'y'` }),
  )
  expect(body).toContain('x/&lt;b&gt;')
  expect(body).toContain('&quot;&#233;&quot; &amp; &#x27;y&#x27;')
  expect(body).toContain('<title>415 Unsupported Media Type</title>')
})

test('the bare form is not an errors list', () => {
  const bare = JSON.parse(renderBareError(facts({ status: 401 })).body)
  expect(bare).toMatchObject({ code: '401 Unauthorized', title: 'Unauthorized' })
  expect(bare.message).toMatch(/^This server could not verify .* required\.<br \/><br \/>\n\n\n$/)
})

test('stripTags: breaks become newlines, other tags and comment marks vanish, a lone < stays', () => {
  expect(stripTags('a<br />b<BR>c')).toBe('a\nb\nc')
  expect(stripTags('1 <b>2</b> <!-- 3 --> 4 < 5')).toBe('1 2  3  4 < 5')
  expect(stripTags('x <y\nz> w')).toBe('x  w')
})

test('stripTags takes linear time on a message full of <', () => {
  const started = performance.now()
  stripTags('<'.repeat(2_000_000))
  stripTags('<br'.repeat(700_000))
  expect(performance.now() - started).toBeLessThan(5000)
})

test('an explained document has the message in place of the generic sentence, which stands where there is none', () => {
  const json = (message: string) =>
    JSON.parse(renderExplainedError(facts({ accept: 'application/json', message })).body)
  expect(json('No <b> here.')).toEqual({
    message: 'No <b> here.<br /><br />\n\n\n',
    code: '404 Not Found',
    title: 'Not Found',
  })
  expect(json('').message).toBe('The resource could not be found.<br /><br />\n\n\n')
})

test('an explained document is JSON only for those who name it', () => {
  const form = (accept: string | undefined) => renderExplainedError(facts({ accept, message: '<b>' }))
  expect(form('application/json').contentType).toBe('application/json')
  expect(form('*/*').contentType).toBe('text/html; charset=UTF-8')
  expect(form('*/*').body).toContain('&lt;b&gt;')
  for (const accept of [undefined, '', 'image/png'])
    expect(form(accept).contentType).toBe('text/plain; charset=UTF-8')
})
