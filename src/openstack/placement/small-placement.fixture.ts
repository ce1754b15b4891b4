import { DatabaseSync } from 'node:sqlite'

/** The tables of a Placement with the columns that a reader needs, and one it does not. */
const SCHEMA = `
  CREATE TABLE resource_classes (id INTEGER, name TEXT, updated_at TEXT);
  CREATE TABLE traits (id INTEGER, name TEXT);
  CREATE TABLE resource_providers (id INTEGER, uuid TEXT, name TEXT, generation INTEGER, root_provider_id INTEGER,
    parent_provider_id INTEGER);
  CREATE TABLE inventories (id INTEGER, resource_provider_id INTEGER, resource_class_id INTEGER, total INTEGER,
    reserved INTEGER, min_unit INTEGER, max_unit INTEGER, step_size INTEGER, allocation_ratio FLOAT);
  CREATE TABLE placement_aggregates (id INTEGER, uuid TEXT);
  CREATE TABLE resource_provider_aggregates (resource_provider_id INTEGER, aggregate_id INTEGER);
  CREATE TABLE resource_provider_traits (trait_id INTEGER, resource_provider_id INTEGER);
  CREATE TABLE projects (id INTEGER, external_id TEXT);
  CREATE TABLE users (id INTEGER, external_id TEXT);
  CREATE TABLE consumer_types (id INTEGER, name TEXT);
  CREATE TABLE consumers (id INTEGER, uuid TEXT, project_id INTEGER, user_id INTEGER, generation INTEGER,
    consumer_type_id INTEGER);
  CREATE TABLE allocations (id INTEGER, resource_provider_id INTEGER, consumer_id TEXT, resource_class_id INTEGER,
    used INTEGER);`

export const uuidOf = (number: number): string =>
  `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`

/** Two hosts, one with a child; a server on both, and a consumer that holds nothing. */
const ROWS = `
  INSERT INTO resource_classes VALUES (0, 'VCPU', NULL), (1, 'MEMORY_MB', NULL), (10000, 'CUSTOM_GOLD', NULL);
  INSERT INTO traits VALUES (1, 'HW_CPU_X86_AVX2'), (2, 'CUSTOM_FAST'), (3, 'HW_FROM_NEXT_YEAR');
  INSERT INTO resource_providers VALUES (7, '${uuidOf(3)}', 'cn1-numa0', 2, 1, 1), (1, '${uuidOf(1)}', 'cn1', 9, 1, NULL),
    (2, '${uuidOf(2)}', 'cn2', 4, 2, NULL);
  INSERT INTO inventories VALUES (1, 1, 0, 16, 0, 1, 16, 1, 4.0), (2, 7, 1, 4096, 512, 1, 4096, 1, 1.5),
    (3, 2, 0, 8, 0, 1, 8, 1, 1.0), (4, 2, 10000, 2, 2, 1, 2, 1, 1.0);
  INSERT INTO placement_aggregates VALUES (1, '${uuidOf(50)}');
  INSERT INTO resource_provider_aggregates VALUES (1, 1);
  INSERT INTO resource_provider_traits VALUES (2, 1), (1, 1), (3, 2);
  INSERT INTO projects VALUES (1, 'project-a');
  INSERT INTO users VALUES (1, 'user-a');
  INSERT INTO consumer_types VALUES (1, 'INSTANCE');
  INSERT INTO consumers VALUES (1, '${uuidOf(101)}', 1, 1, 3, 1), (2, '${uuidOf(102)}', 1, 1, 1, NULL);
  INSERT INTO allocations VALUES (1, 1, '${uuidOf(101)}', 0, 2), (2, 7, '${uuidOf(101)}', 1, 1024);`

/** In a form that every engine reads. */
export const SMALL_PLACEMENT: readonly string[] = `${SCHEMA}${ROWS}`
  .split(';')
  .filter(one => one.trim() !== '')

/** A Placement's database in a file, changed by more statements. */
export function writeSmallPlacement(path: string, ...statements: readonly string[]): void {
  const database = new DatabaseSync(path)
  try {
    for (const one of [...SMALL_PLACEMENT, ...statements]) database.exec(one)
  } finally {
    database.close()
  }
}
