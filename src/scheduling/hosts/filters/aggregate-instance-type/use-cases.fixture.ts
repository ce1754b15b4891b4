import { addForce, type ExampleGroup, goes, group, isRefused } from './example.fixture.ts'

/** The purpose of the filter: each part with what it promises. */

const removeForce = (metadata: Readonly<Record<string, string>>): Readonly<Record<string, string>> => ({
  ...metadata,
  force_metadata_check: 'False',
})

const ESCAPED = 'aggregate_instance_extra_specs:'

const BASICS: readonly ExampleGroup[] = [
  group(
    'The flavor chooses',
    'Every key of a flavor must find a value that fits in an aggregate of the host.',
    goes('all three are there', { a: '1', b: '>= 2', c: '3' }, { a: '1', b: '5', c: '3', d: '4' }),
    isRefused('one of three is missing', { a: '1', b: '>= 2', c: '3' }, { a: '1', b: '5' }),
    isRefused('one of three does not fit', { a: '1', b: '>= 2', c: '3' }, { a: '1', b: '1', c: '3' }),
  ),
  group(
    'The aggregate chooses',
    'An aggregate may turn that round: then every key of its metadata must be in the flavor, and fit.',
    goes('all three are in the flavor', { a: '1', b: '2', c: '3' }, addForce({ a: '1', b: '2', c: '3' })),
    isRefused('the flavor lacks one', { a: '1', b: '2' }, addForce({ a: '1', b: '2', c: '3' })),
    isRefused('one does not fit', { a: '1', b: '2', c: '4' }, addForce({ a: '1', b: '2', c: '3' })),
  ),
  group(
    'The sentinel `*`',
    'Any value matches, if the key is there.',
    goes('the key is there', { ssd: '*' }, { ssd: 'nvme' }),
    isRefused('the key is not there', { ssd: '*' }, { rack: '7' }),
  ),
  group(
    'The sentinel `~`',
    'Beside values: the key may be left out.',
    goes('it is left out', { tier: '<or> gold <or> ~' }, {}),
    goes('it is there with the value', { tier: '<or> gold <or> ~' }, { tier: 'gold' }),
    isRefused('it is there with another', { tier: '<or> gold <or> ~' }, { tier: 'lead' }),
  ),
  group(
    'The sentinel `!`',
    'The key must not be there.',
    goes('it is not there', { gpu: '!' }, { rack: '7' }),
    isRefused('it is there', { gpu: '!' }, { gpu: 'a100' }),
  ),
  group(
    '`*` with `~`',
    'They do not exclude each other: the key may be there with any value, or not.',
    goes('it is there', { ssd: '<or> * <or> ~' }, { ssd: 'nvme' }),
    goes('it is not there', { ssd: '<or> * <or> ~' }, {}),
    goes('in the other order too', { ssd: '<or> ~ <or> *' }, {}),
  ),
  group(
    '`!` with `~` or `*`',
    'They exclude each other: nothing fits.',
    isRefused('with *, and the key is there', { ssd: '<or> ! <or> *' }, { ssd: '1' }),
    isRefused('with *, and it is not there', { ssd: '<or> ! <or> *' }, {}),
    isRefused('with ~, and the key is there', { ssd: '<or> ! <or> ~' }, { ssd: '1' }),
    isRefused('with ~, and it is not there', { ssd: '<or> ! <or> ~' }, {}),
  ),
  group(
    '`*` with `~` in a forced aggregate',
    'As if the key were not written there: nothing is asked of flavors, and whatever they ask for is offered.',
    goes('to a flavor without the key', {}, addForce({ ssd: '<or> * <or> ~' })),
    goes('to one with a value', { ssd: 'nvme' }, addForce({ ssd: '<or> * <or> ~' })),
    goes('to one with *', { ssd: '*' }, addForce({ ssd: '<or> * <or> ~' })),
    goes('to one with ~', { ssd: '~' }, addForce({ ssd: '<or> * <or> ~' })),
    goes('to one with !', { ssd: '!' }, addForce({ ssd: '<or> * <or> ~' })),
    goes('to one with both', { ssd: '<or> * <or> ~' }, addForce({ ssd: '<or> * <or> ~' })),
  ),
  group(
    'A flavor with `~` alone',
    'goes where the key is not.',
    isRefused('the key is there', { ssd: '~' }, removeForce({ ssd: '1' })),
    goes('the aggregate says nothing', { ssd: '~' }, {}),
    goes('only another key is there', { ssd: '~' }, removeForce({ hdd: '1' })),
  ),
  group(
    'A flavor with `*` and `~`',
    'goes everywhere.',
    goes('the key is there', { ssd: '<or> * <or> ~' }, removeForce({ ssd: '1' })),
    goes('the aggregate says nothing', { ssd: '<or> * <or> ~' }, {}),
    goes('only another key is there', { ssd: '<or> * <or> ~' }, removeForce({ hdd: '1' })),
  ),
  group(
    'A flavor with `*` alone',
    'goes only where the key is.',
    goes('the key is there', { ssd: '*' }, removeForce({ ssd: '1' })),
    isRefused('the aggregate says nothing', { ssd: '*' }, {}),
    isRefused('only another key is there', { ssd: '*' }, removeForce({ hdd: '1' })),
  ),
  group(
    'A flavor without extra specs',
    'goes everywhere where nothing is forced.',
    goes('the key is there', {}, removeForce({ ssd: '1' })),
    goes('the aggregate says nothing', {}, {}),
    goes('only another key is there', {}, removeForce({ hdd: '1' })),
  ),
  group(
    'The word `force_metadata_check`',
    'True turns the check of the aggregate on; False, or no such key, leaves it off. The word itself is no key to be asked for.',
    isRefused('True', {}, { ssd: '1', force_metadata_check: 'True' }),
    goes('False', {}, { ssd: '1', force_metadata_check: 'False' }),
    goes('not there', {}, { ssd: '1' }),
    goes('it is not demanded itself', { ssd: '1' }, addForce({ ssd: '1' })),
  ),
  group(
    'The word `flavor_extra_spec`',
    'means nothing special in metadata: it is a key like any other.',
    goes('a flavor may ask for it', { flavor_extra_spec: '1' }, { flavor_extra_spec: '1' }),
    isRefused('and not find it', { flavor_extra_spec: '1' }, {}),
  ),
]

const VALUES: readonly ExampleGroup[] = [
  group(
    'Use case 1: a key with any value',
    'A flavor with `*` goes to every host in an aggregate that has the key, whatever its value.',
    goes('one value', { ssd: '*' }, { ssd: 'nvme' }),
    goes('another value', { ssd: '*' }, { ssd: 'sata' }),
    goes('an empty value is a value', { ssd: '*' }, { ssd: '' }),
    goes('one of several aggregates has it', { ssd: '*' }, { rack: '7' }, { ssd: 'nvme' }),
    isRefused('the key is not there', { ssd: '*' }, { rack: '7' }),
    isRefused('the aggregate says nothing', { ssd: '*' }, {}),
    isRefused('the host is in no aggregate', { ssd: '*' }),
  ),
  group(
    'Use case 2: a value, or no key at all',
    'With `~` among the words of `<or>` the key may be missing; if it is there, its value must be one of the words.',
    goes('the value is the required one', { tier: '<or> gold <or> ~' }, { tier: 'gold' }),
    isRefused('the value is another', { tier: '<or> gold <or> ~' }, { tier: 'lead' }),
    goes('the key is missing', { tier: '<or> gold <or> ~' }, {}),
    goes('the host is in no aggregate', { tier: '<or> gold <or> ~' }),
    goes('of several words one fits', { tier: '<or> gold <or> silver <or> ~' }, { tier: 'silver' }),
  ),
  group(
    'Use case 3: a key that must not be there',
    'With `!` the flavor keeps away from hosts in an aggregate that has the key.',
    isRefused('the key is there', { gpu: '!' }, { gpu: 'a100' }),
    goes('the key is not there', { gpu: '!' }, {}),
    goes('only other keys are there', { gpu: '!' }, { rack: '7' }),
    isRefused('one of several aggregates has it', { gpu: '!' }, {}, { gpu: 'a100' }),
  ),
]

const FORCED: readonly ExampleGroup[] = [
  group(
    'Use case 4: flavors must have the keys of the aggregate',
    'An aggregate with `force_metadata_check = True` takes only flavors that have all its keys, with values that fit.',
    goes('the flavor has the key and its value', { tenant: 'bank' }, addForce({ tenant: 'bank' })),
    isRefused('the flavor has another value', { tenant: 'shop' }, addForce({ tenant: 'bank' })),
    isRefused('the flavor does not have the key', {}, addForce({ tenant: 'bank' })),
    isRefused('every key counts', { tenant: 'bank' }, addForce({ tenant: 'bank', rack: '7' })),
    goes('and all of them fit', { tenant: 'bank', rack: '7' }, addForce({ tenant: 'bank', rack: '7' })),
  ),
  group(
    'Use case 4: beside the ordinary check',
    'What the flavor asks for is looked for as ever.',
    isRefused(
      'what it asks for beyond the keys of the aggregate must be there too',
      { tenant: 'bank', rack: '7' },
      addForce({ tenant: 'bank' }),
    ),
    goes('and is found in another one', { tenant: 'bank', rack: '7' }, addForce({ tenant: 'bank' }), {
      rack: '7',
    }),
  ),
  group(
    'Use case 4: without force',
    'the aggregate takes flavors without its keys, and others if they fit.',
    goes('a flavor without the key', {}, { tenant: 'bank' }),
    goes('as with False', {}, removeForce({ tenant: 'bank' })),
    goes('one with the value', { tenant: 'bank' }, { tenant: 'bank' }),
    goes('as with False, one with the value', { tenant: 'bank' }, removeForce({ tenant: 'bank' })),
    isRefused('one with another value', { tenant: 'shop' }, { tenant: 'bank' }),
    isRefused('as with False, one with another value', { tenant: 'shop' }, removeForce({ tenant: 'bank' })),
  ),
  group(
    'Use case 5: `*` in a forced aggregate',
    'Flavors must have the key, whatever its value.',
    goes('the flavor has the key', { tenant: 'bank' }, addForce({ tenant: '*' })),
    goes('with another value', { tenant: 'shop' }, addForce({ tenant: '*' })),
    isRefused('the flavor does not have the key', {}, addForce({ tenant: '*' })),
  ),
  group(
    'Use case 5: without force a sentinel in metadata is plain text',
    'Only flavors that ask for nothing there, or for that very text, are taken.',
    isRefused('a value is not the character', { tenant: 'bank' }, { tenant: '*' }),
    isRefused('as with False', { tenant: 'bank' }, removeForce({ tenant: '*' })),
    isRefused('nor is another value', { tenant: 'shop' }, { tenant: '*' }),
    isRefused('as with False, another value', { tenant: 'shop' }, removeForce({ tenant: '*' })),
    goes('a flavor without extra specs is welcome', {}, { tenant: '*' }),
    goes('as with False, one without extra specs', {}, removeForce({ tenant: '*' })),
    isRefused('a second key of the flavor is missing', { tenant: '*', rack: '7' }, { tenant: '*' }),
    isRefused('as with False, a second key', { tenant: '*', rack: '7' }, removeForce({ tenant: '*' })),
    goes('the character itself is required', { tenant: 's== *' }, { tenant: '*' }),
  ),
  group(
    'Use case 5: `!` in a forced aggregate',
    'Flavors must not have the key.',
    isRefused('the flavor has it', { gpu: 'a100' }, addForce({ gpu: '!' })),
    isRefused('with whatever value', { gpu: 'h100' }, addForce({ gpu: '!' })),
    goes('the flavor does not have it', {}, addForce({ gpu: '!' })),
  ),
  group(
    'Use case 5: `~` in a forced aggregate',
    'Beside values: flavors may leave the key out.',
    goes('the flavor does not have the key', {}, addForce({ gpu: '<or> a100 <or> ~' })),
    goes('the flavor has the value', { gpu: 'a100' }, addForce({ gpu: '<or> a100 <or> ~' })),
    isRefused('the flavor has another', { gpu: 'h100' }, addForce({ gpu: '<or> a100 <or> ~' })),
  ),
]

const CHOICES: readonly ExampleGroup[] = [
  group(
    'Use case 6: several values in a forced aggregate',
    '`<or>` in its metadata offers each of the values.',
    goes('the first of them', { tier: 'gold' }, addForce({ tier: '<or> gold <or> silver' })),
    goes('the second of them', { tier: 'silver' }, addForce({ tier: '<or> gold <or> silver' })),
    goes(
      'the flavor has a choice too, and they overlap',
      { tier: '<or> silver <or> lead' },
      addForce({ tier: '<or> gold <or> silver' }),
    ),
    isRefused('the flavor does not have the key', {}, addForce({ tier: '<or> gold <or> silver' })),
    isRefused('none of them', { tier: 'lead' }, addForce({ tier: '<or> gold <or> silver' })),
  ),
  group(
    'Use case 6: values of all aggregates together',
    'What a host offers is the set of the values of all its aggregates, those behind `<or>` among them.',
    goes(
      'a word of the one',
      { tier: 'gold' },
      { tier: 'lead' },
      addForce({ tier: '<or> gold <or> silver' }),
    ),
    goes(
      'a key of the other',
      { tier: 'gold', rack: '7' },
      { rack: '7' },
      addForce({ tier: '<or> gold <or> silver' }),
    ),
    isRefused(
      'a value of none',
      { tier: 'tin' },
      { tier: 'lead' },
      addForce({ tier: '<or> gold <or> silver' }),
    ),
  ),
  group(
    'Use case 6: without force `<or>` in metadata is plain text',
    'It is compared as it stands, so that hardly any flavor fits; and one that asks for nothing still does.',
    isRefused('the first word is not the text', { tier: 'gold' }, { tier: '<or> gold <or> silver' }),
    isRefused('nor is the second', { tier: 'silver' }, { tier: '<or> gold <or> silver' }),
    isRefused(
      'no word of the flavor is the text',
      { tier: '<or> silver <or> lead' },
      { tier: '<or> gold <or> silver' },
    ),
    goes('a flavor without extra specs is welcome', {}, { tier: '<or> gold <or> silver' }),
    isRefused(
      'not even the same text fits: the words of the flavor are compared one by one',
      { tier: '<or> gold <or> silver' },
      { tier: '<or> gold <or> silver' },
    ),
    isRefused(
      'as with False, the first word',
      { tier: 'gold' },
      removeForce({ tier: '<or> gold <or> silver' }),
    ),
    isRefused(
      'as with False, the second',
      { tier: 'silver' },
      removeForce({ tier: '<or> gold <or> silver' }),
    ),
    isRefused(
      'as with False, a word of the flavor',
      { tier: '<or> silver <or> lead' },
      removeForce({ tier: '<or> gold <or> silver' }),
    ),
    goes('as with False, without extra specs', {}, removeForce({ tier: '<or> gold <or> silver' })),
    isRefused(
      'as with False, the same text',
      { tier: '<or> gold <or> silver' },
      removeForce({ tier: '<or> gold <or> silver' }),
    ),
  ),
]

const NAMESPACES: readonly ExampleGroup[] = [
  group(
    'Use case 7: namespaced keys',
    'A namespaced key is optional: skipped where no aggregate has it, checked like any other where one does.',
    goes('the same value', { 'hw:cpu_policy': 'shared' }, { 'hw:cpu_policy': 'shared' }),
    isRefused('another value', { 'hw:cpu_policy': 'shared' }, { 'hw:cpu_policy': 'dedicated' }),
    goes('the key is not there', { 'hw:cpu_policy': 'shared' }, {}),
    goes('only other keys are there', { 'hw:cpu_policy': 'shared' }, { rack: '7' }),
  ),
  group(
    'Use case 7: the escape scope',
    'Behind `aggregate_instance_extra_specs:` a key is a must, namespaced or not. The scope is no part of it.',
    goes(
      'a namespaced key, and it is there',
      { [`${ESCAPED}hw:cpu_policy`]: 'shared' },
      { 'hw:cpu_policy': 'shared' },
    ),
    isRefused('a namespaced key, and it is not', { [`${ESCAPED}hw:cpu_policy`]: 'shared' }, {}),
    isRefused('nor is it where only others are', { [`${ESCAPED}hw:cpu_policy`]: 'shared' }, { ssd: '1' }),
    goes('a plain key, and it is there', { [`${ESCAPED}ssd`]: '1' }, { ssd: '1' }),
    isRefused('a plain key, and it is not', { [`${ESCAPED}ssd`]: '1' }, {}),
    isRefused(
      'nor is it where only others are, plain',
      { [`${ESCAPED}ssd`]: '1' },
      { 'hw:cpu_policy': 'shared' },
    ),
  ),
  group(
    'Use case 7: namespaced keys of a forced aggregate',
    'A forced aggregate demands all its keys, with or without a namespace: to restrict hosts it takes its metadata alone.',
    goes('the flavor has it', { 'hw:cpu_policy': 'shared' }, addForce({ 'hw:cpu_policy': 'shared' })),
    goes(
      'the flavor has it behind the escape scope',
      { [`${ESCAPED}hw:cpu_policy`]: 'shared' },
      addForce({ 'hw:cpu_policy': 'shared' }),
    ),
    isRefused('the flavor lacks it', {}, addForce({ 'hw:cpu_policy': 'shared' })),
    isRefused(
      'the flavor has another value',
      { 'hw:cpu_policy': 'dedicated' },
      addForce({ 'hw:cpu_policy': 'shared' }),
    ),
  ),
  group(
    'The other operators',
    'What a flavor asks is written in the operator language; each value is compared by itself.',
    goes('numbers', { cores: '>= 16' }, { cores: '32' }),
    isRefused('numbers that are too small', { cores: '>= 16' }, { cores: '8' }),
    goes('parts of a text', { cpu: '<in> avx' }, { cpu: 'avx512' }),
    goes('one of several values', { cores: '>= 16' }, { cores: '8' }, { cores: '32' }),
    isRefused('order of texts', { release: 's>= 24' }, { release: '22' }),
  ),
]

export const USE_CASES: readonly ExampleGroup[] = [...BASICS, ...VALUES, ...FORCED, ...CHOICES, ...NAMESPACES]
