CREATE TABLE berth_schema (
  version INTEGER NOT NULL,
  title TEXT NOT NULL,
  PRIMARY KEY (version)
) STRICT;

CREATE TABLE head (
  only_row INTEGER NOT NULL CHECK (only_row = 1),
  revision INTEGER NOT NULL,
  chain TEXT NOT NULL,
  PRIMARY KEY (only_row)
) STRICT;

CREATE TABLE "changes" (
  "revision" INTEGER NOT NULL,
  "batch_id" TEXT NOT NULL,
  "chain" TEXT NOT NULL,
  "at_ms" INTEGER NOT NULL,
  "ops" TEXT NOT NULL,
  "names" TEXT NOT NULL,
  PRIMARY KEY ("revision")
) STRICT;

CREATE TABLE "resource_classes" (
  "id" INTEGER NOT NULL,
  "name" TEXT NOT NULL,
  "updated_at" INTEGER NOT NULL,
  PRIMARY KEY ("id"),
  UNIQUE ("name")
) STRICT;

CREATE TABLE "traits" (
  "id" INTEGER NOT NULL,
  "name" TEXT NOT NULL,
  "updated_at" INTEGER NOT NULL,
  PRIMARY KEY ("id"),
  UNIQUE ("name")
) STRICT;

CREATE TABLE "aggregates" (
  "id" INTEGER NOT NULL,
  "uuid" TEXT NOT NULL,
  PRIMARY KEY ("id"),
  UNIQUE ("uuid")
) STRICT;

CREATE TABLE "resource_providers" (
  "id" INTEGER NOT NULL,
  "uuid" TEXT NOT NULL,
  "name" TEXT NOT NULL,
  "generation" INTEGER NOT NULL,
  "parent_id" INTEGER,
  "updated_at" INTEGER NOT NULL,
  PRIMARY KEY ("id"),
  UNIQUE ("uuid"),
  UNIQUE ("name")
) STRICT;

CREATE TABLE "inventories" (
  "provider_id" INTEGER NOT NULL,
  "class_id" INTEGER NOT NULL,
  "total" INTEGER NOT NULL,
  "reserved" INTEGER NOT NULL,
  "min_unit" INTEGER NOT NULL,
  "max_unit" INTEGER NOT NULL,
  "step_size" INTEGER NOT NULL,
  "allocation_ratio" REAL NOT NULL,
  "updated_at" INTEGER NOT NULL,
  PRIMARY KEY ("provider_id", "class_id")
) STRICT, WITHOUT ROWID;

CREATE TABLE "provider_traits" (
  "provider_id" INTEGER NOT NULL,
  "trait_id" INTEGER NOT NULL,
  PRIMARY KEY ("provider_id", "trait_id")
) STRICT, WITHOUT ROWID;

CREATE TABLE "provider_aggregates" (
  "provider_id" INTEGER NOT NULL,
  "aggregate_id" INTEGER NOT NULL,
  PRIMARY KEY ("provider_id", "aggregate_id")
) STRICT, WITHOUT ROWID;

CREATE TABLE "consumers" (
  "id" INTEGER NOT NULL,
  "uuid" TEXT NOT NULL,
  "generation" INTEGER NOT NULL,
  "project_id" TEXT NOT NULL,
  "user_id" TEXT NOT NULL,
  "consumer_type" TEXT,
  "updated_at" INTEGER NOT NULL,
  PRIMARY KEY ("id"),
  UNIQUE ("uuid")
) STRICT;

CREATE TABLE "allocations" (
  "consumer_id" INTEGER NOT NULL,
  "provider_id" INTEGER NOT NULL,
  "class_id" INTEGER NOT NULL,
  "used" INTEGER NOT NULL,
  PRIMARY KEY ("consumer_id", "provider_id", "class_id")
) STRICT, WITHOUT ROWID;

CREATE TABLE "metadef_namespaces" (
  "id" INTEGER NOT NULL,
  "namespace" TEXT NOT NULL,
  "display_name" TEXT,
  "description" TEXT,
  "visibility" TEXT NOT NULL,
  "protected" INTEGER NOT NULL,
  "owner" TEXT NOT NULL,
  "applied_by" TEXT,
  "created_at" INTEGER NOT NULL,
  "updated_at" INTEGER NOT NULL,
  PRIMARY KEY ("id"),
  UNIQUE ("namespace")
) STRICT;

CREATE TABLE "metadef_resource_types" (
  "id" INTEGER NOT NULL,
  "name" TEXT NOT NULL,
  "created_at" INTEGER NOT NULL,
  "updated_at" INTEGER NOT NULL,
  PRIMARY KEY ("id"),
  UNIQUE ("name")
) STRICT;

CREATE TABLE "metadef_associations" (
  "id" INTEGER NOT NULL,
  "namespace_id" INTEGER NOT NULL,
  "resource_type_id" INTEGER NOT NULL,
  "prefix" TEXT,
  "properties_target" TEXT,
  "created_at" INTEGER NOT NULL,
  "updated_at" INTEGER NOT NULL,
  PRIMARY KEY ("id"),
  UNIQUE ("namespace_id", "resource_type_id")
) STRICT;

CREATE TABLE "metadef_properties" (
  "id" INTEGER NOT NULL,
  "namespace_id" INTEGER NOT NULL,
  "name" TEXT NOT NULL,
  "json_schema" TEXT NOT NULL,
  "created_at" INTEGER NOT NULL,
  "updated_at" INTEGER NOT NULL,
  PRIMARY KEY ("id"),
  UNIQUE ("namespace_id", "name")
) STRICT;

CREATE TABLE "metadef_objects" (
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
) STRICT;

CREATE TABLE "metadef_tags" (
  "id" INTEGER NOT NULL,
  "namespace_id" INTEGER NOT NULL,
  "name" TEXT NOT NULL,
  "created_at" INTEGER NOT NULL,
  "updated_at" INTEGER NOT NULL,
  PRIMARY KEY ("id"),
  UNIQUE ("namespace_id", "name")
) STRICT;

CREATE TABLE "metadef_builtins" (
  "id" INTEGER NOT NULL,
  "namespace" TEXT NOT NULL,
  "loaded_at" INTEGER NOT NULL,
  PRIMARY KEY ("id"),
  UNIQUE ("namespace")
) STRICT;

CREATE TABLE "flavors" (
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
) STRICT;

CREATE TABLE "flavor_extra_specs" (
  "flavor_id" INTEGER NOT NULL,
  "key" TEXT NOT NULL,
  "value" TEXT NOT NULL,
  PRIMARY KEY ("flavor_id", "key")
) STRICT, WITHOUT ROWID;

CREATE TABLE "flavor_access" (
  "flavor_id" INTEGER NOT NULL,
  "project_id" TEXT NOT NULL,
  PRIMARY KEY ("flavor_id", "project_id")
) STRICT, WITHOUT ROWID;

CREATE TABLE "hosts" (
  "provider_id" INTEGER NOT NULL,
  "is_declared" INTEGER NOT NULL,
  "is_disabled" INTEGER NOT NULL,
  "disabled_reason" TEXT,
  "is_forced_down" INTEGER NOT NULL,
  "is_down" INTEGER NOT NULL,
  "capabilities" TEXT NOT NULL,
  "applied_by" TEXT,
  "created_at" INTEGER NOT NULL,
  "updated_at" INTEGER,
  PRIMARY KEY ("provider_id")
) STRICT;

CREATE TABLE "host_aggregates" (
  "id" INTEGER NOT NULL,
  "uuid" TEXT NOT NULL,
  "name" TEXT NOT NULL,
  "applied_by" TEXT,
  "created_at" INTEGER NOT NULL,
  "updated_at" INTEGER,
  PRIMARY KEY ("id"),
  UNIQUE ("uuid"),
  UNIQUE ("name")
) STRICT;

CREATE TABLE "host_aggregate_metadata" (
  "aggregate_id" INTEGER NOT NULL,
  "key" TEXT NOT NULL,
  "value" TEXT NOT NULL,
  PRIMARY KEY ("aggregate_id", "key")
) STRICT, WITHOUT ROWID;

CREATE TABLE "host_aggregate_hosts" (
  "aggregate_id" INTEGER NOT NULL,
  "provider_id" INTEGER NOT NULL,
  "made_member" INTEGER NOT NULL,
  PRIMARY KEY ("aggregate_id", "provider_id")
) STRICT, WITHOUT ROWID;

CREATE TABLE "server_groups" (
  "id" INTEGER NOT NULL,
  "uuid" TEXT NOT NULL,
  "name" TEXT NOT NULL,
  "policy" TEXT NOT NULL,
  "max_server_per_host" INTEGER,
  "project_id" TEXT NOT NULL,
  "user_id" TEXT NOT NULL,
  "applied_by" TEXT,
  "created_at" INTEGER NOT NULL,
  PRIMARY KEY ("id"),
  UNIQUE ("uuid")
) STRICT;

CREATE TABLE "server_group_members" (
  "consumer_id" INTEGER NOT NULL,
  "group_id" INTEGER NOT NULL,
  PRIMARY KEY ("consumer_id")
) STRICT;

CREATE TABLE "server_requests" (
  "consumer_id" INTEGER NOT NULL,
  "name" TEXT,
  "decision" TEXT NOT NULL,
  "request" TEXT NOT NULL,
  "applied_by" TEXT,
  PRIMARY KEY ("consumer_id")
) STRICT;

CREATE TABLE "reservations" (
  "id" INTEGER NOT NULL,
  "uuid" TEXT NOT NULL,
  "name" TEXT NOT NULL,
  "kind" TEXT NOT NULL,
  "project_id" TEXT,
  "aggregate" TEXT,
  "servers" INTEGER NOT NULL,
  "request" TEXT NOT NULL,
  "from_at" INTEGER NOT NULL,
  "until_at" INTEGER,
  "used" INTEGER NOT NULL,
  "short" INTEGER NOT NULL,
  "created_at" INTEGER NOT NULL,
  PRIMARY KEY ("id"),
  UNIQUE ("uuid"),
  UNIQUE ("name")
) STRICT;

CREATE TABLE "reservation_slots" (
  "consumer_id" INTEGER NOT NULL,
  "reservation_id" INTEGER NOT NULL,
  PRIMARY KEY ("consumer_id")
) STRICT;

CREATE TABLE "group_claims" (
  "consumer" TEXT NOT NULL,
  "group_uuid" TEXT NOT NULL,
  "policy" TEXT NOT NULL,
  "max_per_host" INTEGER NOT NULL,
  "members" TEXT NOT NULL,
  "expires_at" INTEGER NOT NULL,
  PRIMARY KEY ("consumer")
) STRICT, WITHOUT ROWID;

CREATE TABLE "manila_claims" (
  "share" TEXT NOT NULL,
  "operation" TEXT NOT NULL,
  "backend" TEXT,
  "same_host" TEXT NOT NULL,
  "different_host" TEXT NOT NULL,
  "is_kept" INTEGER NOT NULL,
  "placed_at" INTEGER NOT NULL,
  "expires_at" INTEGER NOT NULL,
  PRIMARY KEY ("share")
) STRICT, WITHOUT ROWID;

CREATE TABLE "users" (
  "id" INTEGER NOT NULL,
  "uuid" TEXT NOT NULL,
  "name" TEXT NOT NULL,
  "password_hash" TEXT,
  "is_enabled" INTEGER NOT NULL,
  "default_project" TEXT,
  "description" TEXT,
  "email" TEXT,
  "tokens_since" INTEGER NOT NULL,
  "created_at" INTEGER NOT NULL,
  PRIMARY KEY ("id"),
  UNIQUE ("uuid"),
  UNIQUE ("name")
) STRICT;

CREATE TABLE "projects" (
  "id" INTEGER NOT NULL,
  "uuid" TEXT NOT NULL,
  "name" TEXT NOT NULL,
  "description" TEXT NOT NULL,
  "is_enabled" INTEGER NOT NULL,
  "created_at" INTEGER NOT NULL,
  PRIMARY KEY ("id"),
  UNIQUE ("uuid"),
  UNIQUE ("name")
) STRICT;

CREATE TABLE "roles" (
  "id" INTEGER NOT NULL,
  "uuid" TEXT NOT NULL,
  "name" TEXT NOT NULL,
  "created_at" INTEGER NOT NULL,
  PRIMARY KEY ("id"),
  UNIQUE ("uuid"),
  UNIQUE ("name")
) STRICT;

CREATE TABLE "role_assignments" (
  "user_id" INTEGER NOT NULL,
  "project_id" INTEGER NOT NULL,
  "role_id" INTEGER NOT NULL,
  PRIMARY KEY ("user_id", "project_id", "role_id")
) STRICT, WITHOUT ROWID;

CREATE TABLE "application_credentials" (
  "id" INTEGER NOT NULL,
  "uuid" TEXT NOT NULL,
  "user_id" INTEGER NOT NULL,
  "project_id" INTEGER NOT NULL,
  "name" TEXT NOT NULL,
  "description" TEXT,
  "secret_hash" TEXT NOT NULL,
  "roles" TEXT NOT NULL,
  "is_unrestricted" INTEGER NOT NULL,
  "expires_at" INTEGER,
  "created_at" INTEGER NOT NULL,
  PRIMARY KEY ("id"),
  UNIQUE ("uuid"),
  UNIQUE ("user_id", "name")
) STRICT;

CREATE TABLE "static_tokens" (
  "id" INTEGER NOT NULL,
  "uuid" TEXT NOT NULL,
  "name" TEXT NOT NULL,
  "token_hash" TEXT NOT NULL,
  "project" TEXT,
  "roles" TEXT NOT NULL,
  "expires_at" INTEGER,
  "created_by" TEXT NOT NULL,
  "created_at" INTEGER NOT NULL,
  PRIMARY KEY ("id"),
  UNIQUE ("uuid"),
  UNIQUE ("name"),
  UNIQUE ("token_hash")
) STRICT;

CREATE TABLE "revoked_tokens" (
  "audit_id" TEXT NOT NULL,
  "expires_at" INTEGER NOT NULL,
  PRIMARY KEY ("audit_id")
) STRICT, WITHOUT ROWID;

CREATE TABLE "shadow_settings" (
  "id" INTEGER NOT NULL,
  "reads" TEXT NOT NULL,
  "writes" TEXT NOT NULL,
  "is_ended" INTEGER NOT NULL,
  "hold_until" INTEGER NOT NULL,
  "held" TEXT NOT NULL,
  "processes" TEXT NOT NULL,
  "leader" TEXT NOT NULL,
  "leader_until" INTEGER NOT NULL,
  "changed_at" INTEGER NOT NULL,
  PRIMARY KEY ("id")
) STRICT;

CREATE TABLE "share_types" (
  "id" INTEGER NOT NULL,
  "uuid" TEXT NOT NULL,
  "name" TEXT NOT NULL,
  "description" TEXT,
  "is_public" INTEGER NOT NULL,
  "is_default" INTEGER NOT NULL,
  "applied_by" TEXT,
  "created_at" INTEGER NOT NULL,
  "updated_at" INTEGER,
  PRIMARY KEY ("id"),
  UNIQUE ("uuid"),
  UNIQUE ("name")
) STRICT;

CREATE TABLE "share_type_extra_specs" (
  "type_id" INTEGER NOT NULL,
  "key" TEXT NOT NULL,
  "value" TEXT NOT NULL,
  PRIMARY KEY ("type_id", "key")
) STRICT, WITHOUT ROWID;

CREATE TABLE "share_type_access" (
  "type_id" INTEGER NOT NULL,
  "project_id" TEXT NOT NULL,
  PRIMARY KEY ("type_id", "project_id")
) STRICT, WITHOUT ROWID;

CREATE TABLE "share_backends" (
  "provider_id" INTEGER NOT NULL,
  "host" TEXT NOT NULL,
  "name" TEXT NOT NULL,
  "driver" TEXT NOT NULL,
  "settings" TEXT NOT NULL,
  "capabilities" TEXT NOT NULL,
  "availability_zone" TEXT NOT NULL,
  "is_disabled" INTEGER NOT NULL,
  "disabled_reason" TEXT,
  "applied_by" TEXT,
  "created_at" INTEGER NOT NULL,
  "updated_at" INTEGER,
  PRIMARY KEY ("provider_id")
) STRICT;

CREATE TABLE "share_pools" (
  "provider_id" INTEGER NOT NULL,
  "backend_id" INTEGER NOT NULL,
  "name" TEXT NOT NULL,
  "reserved_percentage" INTEGER NOT NULL,
  "capabilities" TEXT NOT NULL,
  "created_at" INTEGER NOT NULL,
  "updated_at" INTEGER,
  PRIMARY KEY ("provider_id")
) STRICT;

CREATE TABLE "shares" (
  "id" INTEGER NOT NULL,
  "uuid" TEXT NOT NULL,
  "project_id" TEXT NOT NULL,
  "user_id" TEXT NOT NULL,
  "name" TEXT,
  "description" TEXT,
  "size" INTEGER NOT NULL,
  "protocol" TEXT NOT NULL,
  "type_id" INTEGER NOT NULL,
  "pool_id" INTEGER,
  "status" TEXT NOT NULL,
  "task_state" TEXT,
  "is_public" INTEGER NOT NULL,
  "availability_zone" TEXT,
  "snapshot" TEXT,
  "export_path" TEXT,
  "target_pool_id" INTEGER,
  "target_type_id" INTEGER,
  "target_path" TEXT,
  "target_size" INTEGER,
  "is_move_forced" INTEGER NOT NULL,
  "is_forced" INTEGER NOT NULL,
  "applied_by" TEXT,
  "deleted_at" INTEGER,
  "created_at" INTEGER NOT NULL,
  "updated_at" INTEGER,
  PRIMARY KEY ("id"),
  UNIQUE ("uuid")
) STRICT;

CREATE TABLE "share_metadata" (
  "share_id" INTEGER NOT NULL,
  "key" TEXT NOT NULL,
  "value" TEXT NOT NULL,
  PRIMARY KEY ("share_id", "key")
) STRICT, WITHOUT ROWID;

CREATE TABLE "share_hints" (
  "share_id" INTEGER NOT NULL,
  "kind" TEXT NOT NULL,
  "other" TEXT NOT NULL,
  "place" INTEGER NOT NULL,
  PRIMARY KEY ("share_id", "kind", "other")
) STRICT, WITHOUT ROWID;

CREATE TABLE "share_snapshots" (
  "id" INTEGER NOT NULL,
  "uuid" TEXT NOT NULL,
  "share_id" INTEGER NOT NULL,
  "project_id" TEXT NOT NULL,
  "user_id" TEXT NOT NULL,
  "name" TEXT,
  "description" TEXT,
  "size" INTEGER NOT NULL,
  "protocol" TEXT NOT NULL,
  "status" TEXT NOT NULL,
  "created_at" INTEGER NOT NULL,
  "updated_at" INTEGER,
  PRIMARY KEY ("id"),
  UNIQUE ("uuid")
) STRICT;

CREATE TABLE "share_access_rules" (
  "id" INTEGER NOT NULL,
  "uuid" TEXT NOT NULL,
  "share_id" INTEGER NOT NULL,
  "access_type" TEXT NOT NULL,
  "access_to" TEXT NOT NULL,
  "access_level" TEXT NOT NULL,
  "state" TEXT NOT NULL,
  "is_denied" INTEGER NOT NULL,
  "metadata" TEXT NOT NULL,
  "created_at" INTEGER NOT NULL,
  "updated_at" INTEGER,
  PRIMARY KEY ("id"),
  UNIQUE ("uuid")
) STRICT;

CREATE TABLE "share_steps" (
  "id" INTEGER NOT NULL,
  "uuid" TEXT NOT NULL,
  "kind" TEXT NOT NULL,
  "backend_id" INTEGER NOT NULL,
  "pool_id" INTEGER NOT NULL,
  "share" TEXT NOT NULL,
  "facts" TEXT NOT NULL,
  "epoch" INTEGER,
  "attempts" INTEGER NOT NULL,
  "created_at" INTEGER NOT NULL,
  PRIMARY KEY ("id"),
  UNIQUE ("uuid")
) STRICT;

CREATE TABLE "share_leases" (
  "backend_id" INTEGER NOT NULL,
  "holder" TEXT NOT NULL,
  "epoch" INTEGER NOT NULL,
  "expires_at" INTEGER NOT NULL,
  PRIMARY KEY ("backend_id")
) STRICT;

CREATE TABLE "share_quotas" (
  "scope" TEXT NOT NULL,
  "resource" TEXT NOT NULL,
  "hard_limit" INTEGER NOT NULL,
  PRIMARY KEY ("scope", "resource")
) STRICT, WITHOUT ROWID;

CREATE TABLE "idempotency_keys" (
  "caller" TEXT NOT NULL,
  "key" TEXT NOT NULL,
  "request" TEXT NOT NULL,
  "status" INTEGER NOT NULL,
  "answer" TEXT NOT NULL,
  "at_ms" INTEGER NOT NULL,
  PRIMARY KEY ("caller", "key")
) STRICT, WITHOUT ROWID;

CREATE TABLE "decisions" (
  "id" TEXT NOT NULL,
  "kind" TEXT NOT NULL,
  "outcome" TEXT NOT NULL,
  "project_id" TEXT,
  "revision" INTEGER NOT NULL,
  "decided_revision" INTEGER NOT NULL,
  "seed" INTEGER NOT NULL,
  "request" TEXT NOT NULL,
  "summary" TEXT NOT NULL,
  "at_ms" INTEGER NOT NULL,
  "share" TEXT,
  "request_id" TEXT,
  "global_request_id" TEXT,
  PRIMARY KEY ("id")
) STRICT, WITHOUT ROWID;

CREATE TABLE "decision_servers" (
  "instance" TEXT NOT NULL,
  "decision" TEXT NOT NULL,
  "at_ms" INTEGER NOT NULL,
  PRIMARY KEY ("instance", "decision")
) STRICT, WITHOUT ROWID;

CREATE TABLE "tokens" (
  "token_hash" TEXT NOT NULL,
  "user" TEXT NOT NULL,
  "project" TEXT,
  "application_credential" TEXT,
  "methods" TEXT NOT NULL,
  "audit_ids" TEXT NOT NULL,
  "issued_at" INTEGER NOT NULL,
  "expires_at" INTEGER NOT NULL,
  "at_ms" INTEGER NOT NULL,
  PRIMARY KEY ("token_hash")
) STRICT, WITHOUT ROWID;

CREATE TABLE "audit_log" (
  "id" TEXT NOT NULL,
  "request_id" TEXT NOT NULL,
  "user" TEXT NOT NULL,
  "project" TEXT,
  "roles" TEXT NOT NULL,
  "service" TEXT NOT NULL,
  "operation" TEXT,
  "method" TEXT NOT NULL,
  "path" TEXT NOT NULL,
  "command" TEXT NOT NULL,
  "revision" INTEGER NOT NULL,
  "rows" INTEGER NOT NULL,
  "generations" TEXT NOT NULL,
  "at_ms" INTEGER NOT NULL,
  PRIMARY KEY ("id")
) STRICT, WITHOUT ROWID;

CREATE TABLE "share_messages" (
  "id" TEXT NOT NULL,
  "project_id" TEXT NOT NULL,
  "resource_type" TEXT NOT NULL,
  "resource_id" TEXT NOT NULL,
  "action_id" TEXT NOT NULL,
  "detail_id" TEXT NOT NULL,
  "level" TEXT NOT NULL,
  "request_id" TEXT,
  "user_message" TEXT NOT NULL,
  "is_deleted" INTEGER NOT NULL,
  "at_ms" INTEGER NOT NULL,
  PRIMARY KEY ("id")
) STRICT, WITHOUT ROWID;

CREATE TABLE "shadow_queue" (
  "id" TEXT NOT NULL,
  "request_id" TEXT NOT NULL,
  "method" TEXT NOT NULL,
  "path" TEXT NOT NULL,
  "version" TEXT NOT NULL,
  "body" TEXT NOT NULL,
  "subjects" TEXT NOT NULL,
  "at_ms" INTEGER NOT NULL,
  PRIMARY KEY ("id")
) STRICT, WITHOUT ROWID;

CREATE TABLE "usage_minutes" (
  "scope" TEXT NOT NULL,
  "points" TEXT NOT NULL,
  "is_made_up" INTEGER NOT NULL,
  "at_ms" INTEGER NOT NULL,
  PRIMARY KEY ("scope", "at_ms")
) STRICT, WITHOUT ROWID;

CREATE TABLE "usage_hours" (
  "scope" TEXT NOT NULL,
  "points" TEXT NOT NULL,
  "is_made_up" INTEGER NOT NULL,
  "at_ms" INTEGER NOT NULL,
  PRIMARY KEY ("scope", "at_ms")
) STRICT, WITHOUT ROWID;

CREATE TABLE "usage_days" (
  "scope" TEXT NOT NULL,
  "points" TEXT NOT NULL,
  "is_made_up" INTEGER NOT NULL,
  "at_ms" INTEGER NOT NULL,
  PRIMARY KEY ("scope", "at_ms")
) STRICT, WITHOUT ROWID;

CREATE INDEX "idempotency_keys_by_age" ON "idempotency_keys" ("at_ms");

CREATE INDEX "decisions_by_age" ON "decisions" ("at_ms");

CREATE INDEX "decisions_by_outcome" ON "decisions" ("outcome", "at_ms");

CREATE INDEX "decisions_by_project_id" ON "decisions" ("project_id", "at_ms");

CREATE INDEX "decisions_by_share" ON "decisions" ("share", "at_ms");

CREATE INDEX "decision_servers_by_age" ON "decision_servers" ("at_ms");

CREATE INDEX "tokens_by_age" ON "tokens" ("at_ms");

CREATE INDEX "audit_log_by_age" ON "audit_log" ("at_ms");

CREATE INDEX "share_messages_by_age" ON "share_messages" ("at_ms");

CREATE INDEX "shadow_queue_by_age" ON "shadow_queue" ("at_ms");

CREATE INDEX "usage_minutes_by_age" ON "usage_minutes" ("at_ms");

CREATE INDEX "usage_hours_by_age" ON "usage_hours" ("at_ms");

CREATE INDEX "usage_days_by_age" ON "usage_days" ("at_ms");
