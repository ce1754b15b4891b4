import { expect, test } from 'vitest'
import { type Schema, validate } from './json-schema.ts'

/**
 * What jsonschema 4.10.3 of Python 3.11 says of each value, its runs of spaces and newlines made one space, as
 * they are before a client sees them. Written down from `str()` of the error that `jsonschema.validate` raises
 * with OpenStack's uuid check for the format.
 */
const cases: readonly (readonly [claim: string, schema: Schema, value: unknown, told: string])[] = [
  [
    'type: a text is no integer',
    { type: 'integer' },
    'five',
    "'five' is not of type 'integer' Failed validating 'type' in schema: {'type': 'integer'} On instance: 'five'",
  ],
  [
    'type: null is None',
    { type: 'string' },
    null,
    "None is not of type 'string' Failed validating 'type' in schema: {'type': 'string'} On instance: None",
  ],
  [
    'type: true is no integer',
    { type: 'integer' },
    true,
    "True is not of type 'integer' Failed validating 'type' in schema: {'type': 'integer'} On instance: True",
  ],
  [
    'type: false is no number',
    { type: 'number' },
    false,
    "False is not of type 'number' Failed validating 'type' in schema: {'type': 'number'} On instance: False",
  ],
  [
    'type: a fraction is no integer',
    { type: 'integer' },
    1.5,
    "1.5 is not of type 'integer' Failed validating 'type' in schema: {'type': 'integer'} On instance: 1.5",
  ],
  [
    'type: infinity is no integer',
    { type: 'integer' },
    Number.POSITIVE_INFINITY,
    "inf is not of type 'integer' Failed validating 'type' in schema: {'type': 'integer'} On instance: inf",
  ],
  [
    'type: an array is no object',
    { type: 'object' },
    [1, 'a', null],
    "[1, 'a', None] is not of type 'object' Failed validating 'type' in schema: {'type': 'object'} On instance: [1, 'a', None]",
  ],
  [
    'type: an object is no array',
    { type: 'array' },
    { b: 1, a: [true] },
    "{'b': 1, 'a': [True]} is not of type 'array' Failed validating 'type' in schema: {'type': 'array'} On instance: {'a': [True], 'b': 1}",
  ],
  [
    'type: several types are listed',
    { type: ['integer', 'null'] },
    '0',
    "'0' is not of type 'integer', 'null' Failed validating 'type' in schema: {'type': ['integer', 'null']} On instance: '0'",
  ],
  [
    'type: a list of one type reads like that type',
    { type: ['string'] },
    3,
    "3 is not of type 'string' Failed validating 'type' in schema: {'type': ['string']} On instance: 3",
  ],
  [
    'properties: the path goes to the member',
    { type: 'object', properties: { a: { type: 'object', properties: { b: { type: 'string' } } } } },
    { a: { b: 1 } },
    "1 is not of type 'string' Failed validating 'type' in schema['properties']['a']['properties']['b']: {'type': 'string'} On instance['a']['b']: 1",
  ],
  [
    'properties: the schema is quoted with sorted keys',
    { type: 'object', properties: { n: { type: 'integer', minimum: 1, maximum: 9 } } },
    { n: 0 },
    "0 is less than the minimum of 1 Failed validating 'minimum' in schema['properties']['n']: {'maximum': 9, 'minimum': 1, 'type': 'integer'} On instance['n']: 0",
  ],
  [
    'patternProperties: the path names the pattern',
    { type: 'object', patternProperties: { '^[A-Z]+$': { type: 'integer' } } },
    { a: 'x', VCPU: 'x' },
    "'x' is not of type 'integer' Failed validating 'type' in schema['patternProperties']['^[A-Z]+$']: {'type': 'integer'} On instance['VCPU']: 'x'",
  ],
  [
    'patternProperties: patterns are taken in their order',
    { patternProperties: { b: { type: 'integer' }, a: { type: 'null' } } },
    { ab: 'x' },
    "'x' is not of type 'integer' Failed validating 'type' in schema['patternProperties']['b']: {'type': 'integer'} On instance['ab']: 'x'",
  ],
  [
    'additionalProperties: one extra',
    { type: 'object', properties: { a: {} }, additionalProperties: false },
    { a: 1, z: 2 },
    "Additional properties are not allowed ('z' was unexpected) Failed validating 'additionalProperties' in schema: {'additionalProperties': False, 'properties': {'a': {}}, 'type': 'object'} On instance: {'a': 1, 'z': 2}",
  ],
  [
    'additionalProperties: several extras are sorted',
    { type: 'object', properties: { a: {} }, additionalProperties: false },
    { z: 2, b: 1, Z: 0, '\ufb00': 1, '\ud83d\ude00': 1 },
    "Additional properties are not allowed ('Z', 'b', 'z', 'ﬀ', '😀' were unexpected) Failed validating 'additionalProperties' in schema: {'additionalProperties': False, 'properties': {'a': {}}, 'type': 'object'} On instance: {'Z': 0, 'b': 1, 'z': 2, 'ﬀ': 1, '😀': 1}",
  ],
  [
    'additionalProperties: with patterns one extra does not match',
    { properties: { a: {} }, patternProperties: { '^y': {}, '^x': {} }, additionalProperties: false },
    { a: 1, x1: 1, z: 1 },
    "'z' does not match any of the regexes: '^x', '^y' Failed validating 'additionalProperties' in schema: {'additionalProperties': False, 'patternProperties': {'^x': {}, '^y': {}}, 'properties': {'a': {}}} On instance: {'a': 1, 'x1': 1, 'z': 1}",
  ],
  [
    'additionalProperties: with patterns several extras do not match',
    { patternProperties: { '^x': {} }, additionalProperties: false },
    { b: 1, a: 1 },
    "'a', 'b' do not match any of the regexes: '^x' Failed validating 'additionalProperties' in schema: {'additionalProperties': False, 'patternProperties': {'^x': {}}} On instance: {'a': 1, 'b': 1}",
  ],
  [
    'additionalProperties: alone it says nothing of what is no object',
    { type: ['integer', 'null'], additionalProperties: false },
    { a: 1 },
    "{'a': 1} is not of type 'integer', 'null' Failed validating 'type' in schema: {'additionalProperties': False, 'type': ['integer', 'null']} On instance: {'a': 1}",
  ],
  [
    'required: of several missing the first is told',
    { type: 'object', required: ['b', 'a'] },
    {},
    "'b' is a required property Failed validating 'required' in schema: {'required': ['b', 'a'], 'type': 'object'} On instance: {}",
  ],
  [
    'required: is told before a keyword that stands after it',
    { type: 'object', required: ['b'], additionalProperties: false },
    { a: 1 },
    "'b' is a required property Failed validating 'required' in schema: {'additionalProperties': False, 'required': ['b'], 'type': 'object'} On instance: {'a': 1}",
  ],
  [
    'additionalProperties: is told first where it stands first',
    { type: 'object', additionalProperties: false, required: ['b'] },
    { a: 1 },
    "Additional properties are not allowed ('a' was unexpected) Failed validating 'additionalProperties' in schema: {'additionalProperties': False, 'required': ['b'], 'type': 'object'} On instance: {'a': 1}",
  ],
  [
    'minProperties: an empty object is not enough',
    { type: 'object', minProperties: 1 },
    {},
    "{} does not have enough properties Failed validating 'minProperties' in schema: {'minProperties': 1, 'type': 'object'} On instance: {}",
  ],
  [
    'minItems: an empty array is too short',
    { type: 'array', minItems: 1 },
    [],
    "[] is too short Failed validating 'minItems' in schema: {'minItems': 1, 'type': 'array'} On instance: []",
  ],
  [
    'minItems: one item is short of two',
    { minItems: 2 },
    ['a'],
    "['a'] is too short Failed validating 'minItems' in schema: {'minItems': 2} On instance: ['a']",
  ],
  [
    'items: the path is the index',
    { type: 'array', items: { type: 'string' } },
    ['a', 2, 3],
    "2 is not of type 'string' Failed validating 'type' in schema['items']: {'type': 'string'} On instance[1]: 2",
  ],
  [
    'uniqueItems: a text twice',
    { type: 'array', uniqueItems: true },
    ['a', 'b', 'a'],
    "['a', 'b', 'a'] has non-unique elements Failed validating 'uniqueItems' in schema: {'type': 'array', 'uniqueItems': True} On instance: ['a', 'b', 'a']",
  ],
  [
    'uniqueItems: objects whatever the order of their members',
    { uniqueItems: true },
    [
      { a: 1, b: [2] },
      { b: [2], a: 1 },
    ],
    "[{'a': 1, 'b': [2]}, {'b': [2], 'a': 1}] has non-unique elements Failed validating 'uniqueItems' in schema: {'uniqueItems': True} On instance: [{'a': 1, 'b': [2]}, {'a': 1, 'b': [2]}]",
  ],
  [
    'uniqueItems: is told before what is wrong with an item',
    { items: { type: 'string' }, uniqueItems: true },
    [1, 1],
    "[1, 1] has non-unique elements Failed validating 'uniqueItems' in schema: {'items': {'type': 'string'}, 'uniqueItems': True} On instance: [1, 1]",
  ],
  [
    'minLength: an empty text is too short',
    { type: 'string', minLength: 1 },
    '',
    "'' is too short Failed validating 'minLength' in schema: {'minLength': 1, 'type': 'string'} On instance: ''",
  ],
  [
    'maxLength: four are longer than three',
    { type: 'string', maxLength: 3 },
    'abcd',
    "'abcd' is too long Failed validating 'maxLength' in schema: {'maxLength': 3, 'type': 'string'} On instance: 'abcd'",
  ],
  [
    'maxLength: counts code points',
    { maxLength: 1 },
    '\ud83d\ude00\ud83d\ude00',
    "'😀😀' is too long Failed validating 'maxLength' in schema: {'maxLength': 1} On instance: '😀😀'",
  ],
  [
    'pattern: is quoted as it is written, not as it is compiled',
    { type: 'string', pattern: '^[A-Z0-9_]+$' },
    'instance',
    "'instance' does not match '^[A-Z0-9_]+$' Failed validating 'pattern' in schema: {'pattern': '^[A-Z0-9_]+$', 'type': 'string'} On instance: 'instance'",
  ],
  [
    'pattern: a newline inside is no end',
    { pattern: '^[a-z]+$' },
    'a\nb',
    "'a\\nb' does not match '^[a-z]+$' Failed validating 'pattern' in schema: {'pattern': '^[a-z]+$'} On instance: 'a\\nb'",
  ],
  [
    'pattern: an anchor binds its own alternative',
    { pattern: '^[A-Z]+$|^all|^unknown$' },
    'unknowns',
    "'unknowns' does not match '^[A-Z]+$|^all|^unknown$' Failed validating 'pattern' in schema: {'pattern': '^[A-Z]+$|^all|^unknown$'} On instance: 'unknowns'",
  ],
  [
    'minimum: zero is less than one',
    { type: 'integer', minimum: 1 },
    0,
    "0 is less than the minimum of 1 Failed validating 'minimum' in schema: {'minimum': 1, 'type': 'integer'} On instance: 0",
  ],
  [
    'minimum: small fractions have an exponent',
    { type: 'number', minimum: 2.5 },
    1e-5,
    "1e-05 is less than the minimum of 2.5 Failed validating 'minimum' in schema: {'minimum': 2.5, 'type': 'number'} On instance: 1e-05",
  ],
  [
    'maximum: one past the largest 32-bit integer',
    { type: 'integer', maximum: 2147483647 },
    2147483648,
    "2147483648 is greater than the maximum of 2147483647 Failed validating 'maximum' in schema: {'maximum': 2147483647, 'type': 'integer'} On instance: 2147483648",
  ],
  [
    'maximum: large floats have an exponent',
    { type: 'number', maximum: 3.40282e38 },
    3.40282e39,
    "3.40282e+39 is greater than the maximum of 3.40282e+38 Failed validating 'maximum' in schema: {'maximum': 3.40282e+38, 'type': 'number'} On instance: 3.40282e+39",
  ],
  [
    'maximum: infinity exceeds all',
    { type: 'number', maximum: 3.40282e38 },
    Number.POSITIVE_INFINITY,
    "inf is greater than the maximum of 3.40282e+38 Failed validating 'maximum' in schema: {'maximum': 3.40282e+38, 'type': 'number'} On instance: inf",
  ],
  [
    'enum: the choices are listed',
    { type: 'string', enum: ['none', 'isolate'] },
    'bogus',
    "'bogus' is not one of ['none', 'isolate'] Failed validating 'enum' in schema: {'enum': ['none', 'isolate'], 'type': 'string'} On instance: 'bogus'",
  ],
  [
    'enum: true is not 1',
    { enum: [1, null] },
    true,
    "True is not one of [1, None] Failed validating 'enum' in schema: {'enum': [1, None]} On instance: True",
  ],
  [
    'format: uuid is quoted',
    { type: 'string', format: 'uuid' },
    'this is not a uuid',
    "'this is not a uuid' is not a 'uuid' Failed validating 'format' in schema: {'format': 'uuid', 'type': 'string'} On instance: 'this is not a uuid'",
  ],
  [
    'format: of a wrong type the type is told',
    { type: 'string', format: 'uuid' },
    5,
    "5 is not of type 'string' Failed validating 'type' in schema: {'format': 'uuid', 'type': 'string'} On instance: 5",
  ],
  [
    'anyOf: the branch whose type fits is told, with paths of its own',
    { properties: { p: { anyOf: [{ type: 'string', format: 'uuid' }, { type: 'null' }] } } },
    { p: 'x' },
    "'x' is not a 'uuid' Failed validating 'format' in schema[0]: {'format': 'uuid', 'type': 'string'} On instance: 'x'",
  ],
  [
    'anyOf: branches on a par are not told apart',
    { properties: { p: { anyOf: [{ type: 'string', format: 'uuid' }, { type: 'null' }] } } },
    { p: 5 },
    "5 is not valid under any of the given schemas Failed validating 'anyOf' in schema['properties']['p']: {'anyOf': [{'format': 'uuid', 'type': 'string'}, {'type': 'null'}]} On instance['p']: 5",
  ],
  [
    'anyOf: the deepest error is told',
    { anyOf: [{ type: 'object', properties: { a: { type: 'integer' } } }, { type: 'null' }] },
    { a: 'x' },
    "'x' is not of type 'integer' Failed validating 'type' in schema[0]['properties']['a']: {'type': 'integer'} On instance['a']: 'x'",
  ],
  [
    'anyOf: yields to any other error as deep',
    { anyOf: [{ type: 'null' }], type: 'string' },
    5,
    "5 is not of type 'string' Failed validating 'type' in schema: {'anyOf': [{'type': 'null'}], 'type': 'string'} On instance: 5",
  ],
  [
    'the shallowest error is told',
    { properties: { a: { type: 'integer' } }, required: ['b'] },
    { a: 'x' },
    "'b' is a required property Failed validating 'required' in schema: {'properties': {'a': {'type': 'integer'}}, 'required': ['b']} On instance: {'a': 'x'}",
  ],
  [
    'of equally deep errors the first is told',
    { properties: { b: { type: 'integer' }, a: { type: 'integer' } } },
    { a: 'x', b: 'y' },
    "'y' is not of type 'integer' Failed validating 'type' in schema['properties']['b']: {'type': 'integer'} On instance['b']: 'y'",
  ],
  [
    'of equally deep errors one whose value has the wrong type is told',
    { properties: { a: { type: 'integer', minimum: 1 }, b: { type: 'integer' } } },
    { a: 0, b: 'y' },
    "'y' is not of type 'integer' Failed validating 'type' in schema['properties']['b']: {'type': 'integer'} On instance['b']: 'y'",
  ],
  [
    'texts are quoted as Python quotes them',
    { type: 'integer' },
    'it\'s "\\" \t\u0000\u00a0\u2028\u00e9',
    "'it\\'s \"\\\\\" \\t\\x00\\xa0\\u2028é' is not of type 'integer' Failed validating 'type' in schema: {'type': 'integer'} On instance: 'it\\'s \"\\\\\" \\t\\x00\\xa0\\u2028é'",
  ],
]

test.each(cases)('as Python says it: %s', (_, schema, value, told) => {
  expect(validate(schema, value)?.replace(/[ \n]+/g, ' ')).toBe(told)
})
