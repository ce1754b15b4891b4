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
