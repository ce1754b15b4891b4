/** Version 2: the tables of the catalog as they were when it came. */
export const catalogTablesInSqlite: readonly string[] = [
  `CREATE TABLE "metadef_namespaces" (
  "id" INTEGER NOT NULL,
  "namespace" TEXT NOT NULL,
  "display_name" TEXT,
  "description" TEXT,
  "visibility" TEXT NOT NULL,
  "protected" INTEGER NOT NULL,
  "owner" TEXT NOT NULL,
  "created_at" INTEGER NOT NULL,
  "updated_at" INTEGER NOT NULL,
  PRIMARY KEY ("id"),
  UNIQUE ("namespace")
) STRICT`,
  `CREATE TABLE "metadef_resource_types" (
  "id" INTEGER NOT NULL,
  "name" TEXT NOT NULL,
  "created_at" INTEGER NOT NULL,
  "updated_at" INTEGER NOT NULL,
  PRIMARY KEY ("id"),
  UNIQUE ("name")
) STRICT`,
  `CREATE TABLE "metadef_associations" (
  "id" INTEGER NOT NULL,
  "namespace_id" INTEGER NOT NULL,
  "resource_type_id" INTEGER NOT NULL,
  "prefix" TEXT,
  "properties_target" TEXT,
  "created_at" INTEGER NOT NULL,
  "updated_at" INTEGER NOT NULL,
  PRIMARY KEY ("id"),
  UNIQUE ("namespace_id", "resource_type_id")
) STRICT`,
  `CREATE TABLE "metadef_properties" (
  "id" INTEGER NOT NULL,
  "namespace_id" INTEGER NOT NULL,
  "name" TEXT NOT NULL,
  "json_schema" TEXT NOT NULL,
  "created_at" INTEGER NOT NULL,
  "updated_at" INTEGER NOT NULL,
  PRIMARY KEY ("id"),
  UNIQUE ("namespace_id", "name")
) STRICT`,
  `CREATE TABLE "metadef_objects" (
  "id" INTEGER NOT NULL,
  "namespace_id" INTEGER NOT NULL,
  "name" TEXT NOT NULL,
  "description" TEXT,
  "required" TEXT,
  "json_schema" TEXT,
  "created_at" INTEGER NOT NULL,
  "updated_at" INTEGER NOT NULL,
  PRIMARY KEY ("id"),
  UNIQUE ("namespace_id", "name")
) STRICT`,
  `CREATE TABLE "metadef_tags" (
  "id" INTEGER NOT NULL,
  "namespace_id" INTEGER NOT NULL,
  "name" TEXT NOT NULL,
  "created_at" INTEGER NOT NULL,
  "updated_at" INTEGER NOT NULL,
  PRIMARY KEY ("id"),
  UNIQUE ("namespace_id", "name")
) STRICT`,
  `CREATE TABLE "metadef_builtins" (
  "id" INTEGER NOT NULL,
  "namespace" TEXT NOT NULL,
  "loaded_at" INTEGER NOT NULL,
  PRIMARY KEY ("id"),
  UNIQUE ("namespace")
) STRICT`,
]

export const catalogTablesInPostgres: readonly string[] = [
  `CREATE TABLE "metadef_namespaces" (
  "id" BIGINT NOT NULL,
  "namespace" TEXT COLLATE "C" NOT NULL,
  "display_name" TEXT COLLATE "C",
  "description" TEXT COLLATE "C",
  "visibility" TEXT COLLATE "C" NOT NULL,
  "protected" BIGINT NOT NULL,
  "owner" TEXT COLLATE "C" NOT NULL,
  "created_at" BIGINT NOT NULL,
  "updated_at" BIGINT NOT NULL,
  PRIMARY KEY ("id"),
  UNIQUE ("namespace")
)`,
  `CREATE TABLE "metadef_resource_types" (
  "id" BIGINT NOT NULL,
  "name" TEXT COLLATE "C" NOT NULL,
  "created_at" BIGINT NOT NULL,
  "updated_at" BIGINT NOT NULL,
  PRIMARY KEY ("id"),
  UNIQUE ("name")
)`,
  `CREATE TABLE "metadef_associations" (
  "id" BIGINT NOT NULL,
  "namespace_id" BIGINT NOT NULL,
  "resource_type_id" BIGINT NOT NULL,
  "prefix" TEXT COLLATE "C",
  "properties_target" TEXT COLLATE "C",
  "created_at" BIGINT NOT NULL,
  "updated_at" BIGINT NOT NULL,
  PRIMARY KEY ("id"),
  UNIQUE ("namespace_id", "resource_type_id")
)`,
  `CREATE TABLE "metadef_properties" (
  "id" BIGINT NOT NULL,
  "namespace_id" BIGINT NOT NULL,
  "name" TEXT COLLATE "C" NOT NULL,
  "json_schema" TEXT COLLATE "C" NOT NULL,
  "created_at" BIGINT NOT NULL,
  "updated_at" BIGINT NOT NULL,
  PRIMARY KEY ("id"),
  UNIQUE ("namespace_id", "name")
)`,
  `CREATE TABLE "metadef_objects" (
  "id" BIGINT NOT NULL,
  "namespace_id" BIGINT NOT NULL,
  "name" TEXT COLLATE "C" NOT NULL,
  "description" TEXT COLLATE "C",
  "required" TEXT COLLATE "C",
  "json_schema" TEXT COLLATE "C",
  "created_at" BIGINT NOT NULL,
  "updated_at" BIGINT NOT NULL,
  PRIMARY KEY ("id"),
  UNIQUE ("namespace_id", "name")
)`,
  `CREATE TABLE "metadef_tags" (
  "id" BIGINT NOT NULL,
  "namespace_id" BIGINT NOT NULL,
  "name" TEXT COLLATE "C" NOT NULL,
  "created_at" BIGINT NOT NULL,
  "updated_at" BIGINT NOT NULL,
  PRIMARY KEY ("id"),
  UNIQUE ("namespace_id", "name")
)`,
  `CREATE TABLE "metadef_builtins" (
  "id" BIGINT NOT NULL,
  "namespace" TEXT COLLATE "C" NOT NULL,
  "loaded_at" BIGINT NOT NULL,
  PRIMARY KEY ("id"),
  UNIQUE ("namespace")
)`,
]
