import { byName, list, object, oneOf, orNull, type TypeOf, text, whole, yesOrNo } from './shape.ts'

const subjectShape = object('What it is about.', {
  type: oneOf('What it is.', 'server', 'migration', 'consumer', 'provider'),
  id: text('Its uuid.'),
  name: text('Its name; the uuid where it has none.'),
})

const findingShape = object('Something in the ledger that is not as Nova says.', {
  kind: text('The kind of damage, such as `orphaned`.'),
  subject: subjectShape,
  nova: text('What Nova says.'),
  ledger: text('What the ledger says.'),
  remedy: text('What to do.'),
  command: orNull(text('A command that does it, or helps; null: there is none.')),
  fixable: yesOrNo('Whether `berth reconcile --fix` can do it.'),
})

const notJudgedShape = object('Something that might be damage and cannot be told.', {
  subject: subjectShape,
  reason: text('Why.'),
})

const comparedShape = object('How much was compared.', {
  servers: whole('Servers of Nova.'),
  migrations: whole('Migrations of Nova.'),
  computes: whole('Computes of Nova.'),
  providers: whole('Providers of the ledger.'),
  consumers: whole('Consumers of the ledger.'),
})

const reconcileReportShape = object('What a comparison of the ledger with Nova found.', {
  cloud: text('The cloud, by its name in clouds.yaml.'),
  started_at: text('When it began.'),
  finished_at: text('When it ended.'),
  compared: comparedShape,
  counts: byName(whole('How many.'), 'How many findings of each kind; kinds without any are left out.'),
  findings: list(findingShape, 'The findings, by kind.'),
  findings_omitted: whole('How many more there are than the list has.'),
  not_judged: list(notJudgedShape, 'What was left alone.'),
  not_judged_omitted: whole('How many more there are than the list has.'),
  passed: whole(
    'How many differences the second look did not confirm: they came and went while the cloud was running.',
  ),
})

export const reconcileStateShape = object('The background check of this server.', {
  cloud: orNull(
    text('The cloud that is compared; null: `reconcile_cloud` names none, and nothing is checked.'),
  ),
  interval_seconds: whole('The time between two checks.'),
  running: yesOrNo('Whether a check is running now.'),
  last: orNull(reconcileReportShape),
  failure: orNull(
    object('Why the last check came to no result.', {
      at: text('When it failed.'),
      reason: text('Why.'),
    }),
  ),
})

export type ReconcileReport = TypeOf<typeof reconcileReportShape>
export type ReconcileState = TypeOf<typeof reconcileStateShape>
