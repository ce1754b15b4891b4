/** Version 3: the tables of compute as they were when it came. */
export const computeTablesInSqlite: readonly string[] = [
  `CREATE TABLE "flavors" (
  "id" INTEGER NOT NULL,
  "flavorid" TEXT NOT NULL,
  "name" TEXT NOT NULL,
  "memory_mb" INTEGER NOT NULL,
  "vcpus" INTEGER NOT NULL,
  "root_gb" INTEGER NOT NULL,
  "ephemeral_gb" INTEGER NOT NULL,
  "swap" INTEGER NOT NULL,
  "rxtx_factor" REAL NOT NULL,
  "is_public" INTEGER NOT NULL,
  "description" TEXT,
  "applied_by" TEXT,
  "created_at" INTEGER NOT NULL,
  "updated_at" INTEGER,
  PRIMARY KEY ("id"),
  UNIQUE ("flavorid"),
  UNIQUE ("name")
) STRICT`,
  `CREATE TABLE "flavor_extra_specs" (
  "flavor_id" INTEGER NOT NULL,
  "key" TEXT NOT NULL,
  "value" TEXT NOT NULL,
  PRIMARY KEY ("flavor_id", "key")
) STRICT, WITHOUT ROWID`,
  `CREATE TABLE "flavor_access" (
  "flavor_id" INTEGER NOT NULL,
  "project_id" TEXT NOT NULL,
  PRIMARY KEY ("flavor_id", "project_id")
) STRICT, WITHOUT ROWID`,
  `CREATE TABLE "hosts" (
  "provider_id" INTEGER NOT NULL,
  "is_declared" INTEGER NOT NULL,
  "is_disabled" INTEGER NOT NULL,
  "disabled_reason" TEXT,
  "is_forced_down" INTEGER NOT NULL,
  "capabilities" TEXT NOT NULL,
  "applied_by" TEXT,
  "created_at" INTEGER NOT NULL,
  "updated_at" INTEGER,
  PRIMARY KEY ("provider_id")
) STRICT`,
  `CREATE TABLE "host_aggregates" (
  "id" INTEGER NOT NULL,
  "uuid" TEXT NOT NULL,
  "name" TEXT NOT NULL,
  "applied_by" TEXT,
  "created_at" INTEGER NOT NULL,
  "updated_at" INTEGER,
  PRIMARY KEY ("id"),
  UNIQUE ("uuid"),
  UNIQUE ("name")
) STRICT`,
  `CREATE TABLE "host_aggregate_metadata" (
  "aggregate_id" INTEGER NOT NULL,
  "key" TEXT NOT NULL,
  "value" TEXT NOT NULL,
  PRIMARY KEY ("aggregate_id", "key")
) STRICT, WITHOUT ROWID`,
  `CREATE TABLE "host_aggregate_hosts" (
  "aggregate_id" INTEGER NOT NULL,
  "provider_id" INTEGER NOT NULL,
  "made_member" INTEGER NOT NULL,
  PRIMARY KEY ("aggregate_id", "provider_id")
) STRICT, WITHOUT ROWID`,
  `CREATE TABLE "server_groups" (
  "id" INTEGER NOT NULL,
  "uuid" TEXT NOT NULL,
  "name" TEXT NOT NULL,
  "policy" TEXT NOT NULL,
  "max_server_per_host" INTEGER,
  "project_id" TEXT NOT NULL,
  "user_id" TEXT NOT NULL,
  "created_at" INTEGER NOT NULL,
  PRIMARY KEY ("id"),
  UNIQUE ("uuid")
) STRICT`,
  `CREATE TABLE "server_group_members" (
  "consumer_id" INTEGER NOT NULL,
  "group_id" INTEGER NOT NULL,
  PRIMARY KEY ("consumer_id")
) STRICT`,
]

export const computeTablesInPostgres: readonly string[] = [
  `CREATE TABLE "flavors" (
  "id" BIGINT NOT NULL,
  "flavorid" TEXT COLLATE "C" NOT NULL,
  "name" TEXT COLLATE "C" NOT NULL,
  "memory_mb" BIGINT NOT NULL,
  "vcpus" BIGINT NOT NULL,
  "root_gb" BIGINT NOT NULL,
  "ephemeral_gb" BIGINT NOT NULL,
  "swap" BIGINT NOT NULL,
  "rxtx_factor" DOUBLE PRECISION NOT NULL,
  "is_public" BIGINT NOT NULL,
  "description" TEXT COLLATE "C",
  "applied_by" TEXT COLLATE "C",
  "created_at" BIGINT NOT NULL,
  "updated_at" BIGINT,
  PRIMARY KEY ("id"),
  UNIQUE ("flavorid"),
  UNIQUE ("name")
)`,
  `CREATE TABLE "flavor_extra_specs" (
  "flavor_id" BIGINT NOT NULL,
  "key" TEXT COLLATE "C" NOT NULL,
  "value" TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY ("flavor_id", "key")
)`,
  `CREATE TABLE "flavor_access" (
  "flavor_id" BIGINT NOT NULL,
  "project_id" TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY ("flavor_id", "project_id")
)`,
  `CREATE TABLE "hosts" (
  "provider_id" BIGINT NOT NULL,
  "is_declared" BIGINT NOT NULL,
  "is_disabled" BIGINT NOT NULL,
  "disabled_reason" TEXT COLLATE "C",
  "is_forced_down" BIGINT NOT NULL,
  "capabilities" TEXT COLLATE "C" NOT NULL,
  "applied_by" TEXT COLLATE "C",
  "created_at" BIGINT NOT NULL,
  "updated_at" BIGINT,
  PRIMARY KEY ("provider_id")
)`,
  `CREATE TABLE "host_aggregates" (
  "id" BIGINT NOT NULL,
  "uuid" TEXT COLLATE "C" NOT NULL,
  "name" TEXT COLLATE "C" NOT NULL,
  "applied_by" TEXT COLLATE "C",
  "created_at" BIGINT NOT NULL,
  "updated_at" BIGINT,
  PRIMARY KEY ("id"),
  UNIQUE ("uuid"),
  UNIQUE ("name")
)`,
  `CREATE TABLE "host_aggregate_metadata" (
  "aggregate_id" BIGINT NOT NULL,
  "key" TEXT COLLATE "C" NOT NULL,
  "value" TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY ("aggregate_id", "key")
)`,
  `CREATE TABLE "host_aggregate_hosts" (
  "aggregate_id" BIGINT NOT NULL,
  "provider_id" BIGINT NOT NULL,
  "made_member" BIGINT NOT NULL,
  PRIMARY KEY ("aggregate_id", "provider_id")
)`,
  `CREATE TABLE "server_groups" (
  "id" BIGINT NOT NULL,
  "uuid" TEXT COLLATE "C" NOT NULL,
  "name" TEXT COLLATE "C" NOT NULL,
  "policy" TEXT COLLATE "C" NOT NULL,
  "max_server_per_host" BIGINT,
  "project_id" TEXT COLLATE "C" NOT NULL,
  "user_id" TEXT COLLATE "C" NOT NULL,
  "created_at" BIGINT NOT NULL,
  PRIMARY KEY ("id"),
  UNIQUE ("uuid")
)`,
  `CREATE TABLE "server_group_members" (
  "consumer_id" BIGINT NOT NULL,
  "group_id" BIGINT NOT NULL,
  PRIMARY KEY ("consumer_id")
)`,
]
