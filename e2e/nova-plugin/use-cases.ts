/** The use cases of the document of the aggregate instance type filter. Each aggregate has one host; flavors land on aggregates by index. */

type Specs = Readonly<Record<string, string>>

interface UseCase {
  readonly name: string
  /** The metadata of each aggregate. */
  readonly aggregates: readonly Specs[]
  /** Extra specs of a flavor, and the indexes of the aggregates whose hosts take it. */
  readonly boots: readonly (readonly [specs: Specs, places: readonly number[]])[]
}

const forced = { force_metadata_check: 'True' }

export const USE_CASES: readonly UseCase[] = [
  {
    name: '0: any value, optional, both, none (the description)',
    aggregates: [
      { key: '1', force_metadata_check: 'False' },
      {},
      { 'other key': '1', force_metadata_check: 'False' },
    ],
    boots: [
      [{ key: '~' }, [1, 2]],
      [{ key: '<or> * <or> ~' }, [0, 1, 2]],
      [{ key: '*' }, [0]],
      [{}, [0, 1, 2]],
    ],
  },
  { name: '1: any value', aggregates: [{ key: '1' }, { key: 'x' }, {}], boots: [[{ key: '*' }, [0, 1]]] },
  {
    name: '2: a value, or no such key',
    aggregates: [{ key: '1' }, { key: '2' }, {}],
    boots: [[{ key: '<or> 1 <or> ~' }, [0, 2]]],
  },
  { name: '3: no such key', aggregates: [{ key: '1' }, {}], boots: [[{ key: '!' }, [1]]] },
  {
    name: '4: the aggregate asks for keys of the flavor',
    aggregates: [{ key: '1', ...forced }],
    boots: [
      [{ key: '1' }, [0]],
      [{ key: '2' }, []],
      [{}, []],
    ],
  },
  { name: '4: and does not ask where the check is off', aggregates: [{ key: '1' }], boots: [[{}, [0]]] },
  {
    name: '5: any value, in the aggregate',
    aggregates: [{ key: '*', ...forced }],
    boots: [
      [{ key: '1' }, [0]],
      [{ key: '2' }, [0]],
      [{}, []],
    ],
  },
  {
    name: '5: a star is a text where the check is off',
    aggregates: [{ key: '*' }],
    boots: [
      [{ key: '1' }, []],
      [{ key: '2' }, []],
      [{}, [0]],
      [{ key: '*', key2: '2' }, []],
    ],
  },
  {
    name: '5: no such key, in the aggregate',
    aggregates: [{ key: '!', ...forced }],
    boots: [
      [{ key: '1' }, []],
      [{ key: '2' }, []],
      [{}, [0]],
    ],
  },
  {
    name: '6: one of several values, in the aggregate',
    aggregates: [{ key: '<or> 1 <or> 2', ...forced }],
    boots: [
      [{ key: '1' }, [0]],
      [{ key: '2' }, [0]],
      [{ key: '<or> 2 <or> 3' }, [0]],
      [{}, []],
    ],
  },
  {
    name: '6: compared as text where the check is off',
    aggregates: [{ key: '<or> 1 <or> 2' }],
    boots: [
      [{ key: '1' }, []],
      [{ key: '2' }, []],
      [{ key: '<or> 2 <or> 3' }, []],
      [{ key: '<or> 1 <or> 2' }, []],
    ],
  },
  {
    name: '7: keys with a scope',
    aggregates: [{ 'hw:cpu_policy': 'shared' }, { 'hw:cpu_policy': 'dedicated' }, {}],
    boots: [[{ 'hw:cpu_policy': 'shared' }, [0, 2]]],
  },
]
