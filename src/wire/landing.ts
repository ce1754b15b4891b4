import { list, object, oneOf, orNull, type TypeOf, text, uuid, whole, yesOrNo } from './shape.ts'

export const LANDING_HOSTS_MAX = 1_000

const reasonFields = {
  by: oneOf(
    'A filter; Placement, which lacks something; the flavor itself, which makes no valid request; or an empty aggregate.',
    'filter',
    'placement',
    'request',
    'aggregate',
  ),
  filter: orNull(text('The filter, if it is one.')),
  code: text('Its kind, as in explanations.'),
  key: orNull(text('The key, resource class or trait that it is about.')),
  text: text('The same in words, of the first host that it was met on.'),
}

export const flavorLandingsShape = object('What became of the flavors.', {
  hosts: whole('How many hosts were asked about.'),
  hosts_left_out: whole(`Hosts of the aggregate that were not: the first ${LANDING_HOSTS_MAX} are.`),
  flavors: list(
    object('A flavor.', {
      id: text('Its id.'),
      name: text('Its name.'),
      verdict: oneOf(
        'Some host takes it now; none now, but no rule forbids it on some host; or rules or sizes forbid it on every host.',
        'fits',
        'not-now',
        'forbidden',
      ),
      fits: whole('Hosts that would take a server of it now.'),
      not_now: whole('Hosts where only use or state is in the way: they are full, disabled or down.'),
      forbidden: whole('Hosts where a rule forbids it, or that are too small however empty.'),
      reasons: list(
        object('One reason.', {
          ...reasonFields,
          lasting: yesOrNo(
            'It is a rule or a size. Otherwise it may be gone when servers leave, or the host is back.',
          ),
          hosts: whole('How many hosts it was met on.'),
        }),
        'The one of most hosts first, 20 at most.',
      ),
    }),
    'By name.',
  ),
  truncated: yesOrNo('There are more: ask with `after` set to the id of the last one.'),
})

export const violationsShape = object('What was found.', {
  servers: whole('How many servers were looked at.'),
  unknown: whole('How many of them were not scheduled here: their request is unknown.'),
  violations: list(
    object('A server that breaks a rule.', {
      instance: uuid('The server.'),
      name: orNull(text('Its name.')),
      host: text('Where it is.'),
      provider: uuid('The root provider of that host.'),
      project_id: text('Whose it is.'),
      flavor: text('The name that its flavor had; empty if it had none.'),
      reasons: list(object('One reason.', reasonFields), 'Everything that it breaks.'),
    }),
    'In the order of hosts.',
  ),
  next: orNull(text('There are more servers: ask with `after` set to this.')),
})

export type FlavorLandings = TypeOf<typeof flavorLandingsShape>
export type FlavorLanding = FlavorLandings['flavors'][number]
export type Violations = TypeOf<typeof violationsShape>
export type LandingReason = Violations['violations'][number]['reasons'][number]
