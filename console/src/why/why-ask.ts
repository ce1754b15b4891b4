import type { DecisionDetail } from '../../../src/wire/decisions.ts'
import type { AskBody, MoveBody } from '../../../src/wire/scheduling.ts'

/** A new server; or with `instance`, the move of one. */
export type WhyAsk = AskBody & Partial<MoveBody>

/** The parts of the request that are in the address of the page. */
export const ASK_FIELDS = [
  'flavor',
  'server',
  'zone',
  'host',
  'disk',
  'group',
  'near',
  'away',
  'query',
  'image',
] as const

/** What the form asks; null: neither a flavor nor a server is named. */
export function askOf(params: URLSearchParams): WhyAsk | null {
  const text = (name: (typeof ASK_FIELDS)[number]) => params.get(name)?.trim() || null
  const [flavor, instance] = [text('flavor'), text('server')]
  if (flavor === null && instance === null) return null
  const hints = hintsOf(text('near'), text('away'), text('query'))
  const image = imageOf(text('image'))
  const [zone, host, group] = [text('zone'), text('host'), text('group')]
  return {
    ...(flavor === null ? {} : { flavor }),
    ...(instance === null ? {} : { instance }),
    ...(zone === null ? {} : { zone }),
    ...(host === null ? {} : { host }),
    ...(text('disk') === 'volume' ? { volume_backed: true } : {}),
    // The group of a server that moves stays.
    ...(group === null || instance !== null ? {} : { server_group: group }),
    ...(hints === null ? {} : { hints }),
    ...(image === null ? {} : { image: { properties: image } }),
  }
}

const words = (text: string): string[] => text.split(/[\s,]+/).filter(Boolean)

function hintsOf(near: string | null, away: string | null, query: string | null) {
  const hints = {
    ...(near === null ? {} : { same_host: words(near) }),
    ...(away === null ? {} : { different_host: words(away) }),
    ...(query === null ? {} : { query: parseJson(query) }),
  }
  return Object.keys(hints).length === 0 ? null : hints
}

type ImageProperties = NonNullable<NonNullable<AskBody['image']>['properties']>

/** One key=value in a line. */
function imageOf(text: string | null): ImageProperties | null {
  if (text === null) return null
  const pairs = text.split('\n').flatMap(line => {
    const [key, ...rest] = line.split('=')
    const name = (key ?? '').trim()
    return name === '' ? [] : [[name, parseJson(rest.join('=').trim())] as const]
  })
  return pairs.length === 0 ? null : (Object.fromEntries(pairs) as ImageProperties)
}

/** As on the command line: JSON where it can be read as such. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

const jsonText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

/** The form with the request of a decision; null: it cannot be asked there. */
export function addressOf({ kind, asked }: DecisionDetail): string | null {
  const isServer = kind === 'schedule' || kind === 'dry-run' || kind === 'move'
  const { flavor, instances, zone, host, server_group, hints, image, volume_backed } = asked
  const server = kind === 'move' ? (instances[0] ?? null) : null
  if (!isServer || (flavor === null && server === null)) return null
  const list = (value: unknown) => (Array.isArray(value) ? value.join(', ') : null)
  const fields: Readonly<Record<(typeof ASK_FIELDS)[number], string | null>> = {
    // A server that moves keeps the flavor that it has.
    flavor: server === null ? flavor : null,
    server,
    zone,
    host,
    disk: volume_backed ? 'volume' : null,
    group: server === null ? server_group : null,
    near: list(hints.same_host),
    away: list(hints.different_host),
    query: hints.query == null ? null : jsonText(hints.query),
    image:
      image === null
        ? null
        : Object.entries(image)
            .map(([key, value]) => `${key}=${jsonText(value)}`)
            .join('\n'),
  }
  const given = Object.entries(fields).filter((pair): pair is [string, string] => pair[1] !== null)
  return `/why?${new URLSearchParams(given)}`
}
