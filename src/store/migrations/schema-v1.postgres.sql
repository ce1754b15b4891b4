CREATE TABLE IF NOT EXISTS berth_schema (
  version BIGINT NOT NULL,
  title TEXT NOT NULL,
  PRIMARY KEY (version)
);

CREATE TABLE IF NOT EXISTS head (
  only_row BIGINT NOT NULL CHECK (only_row = 1),
  revision BIGINT NOT NULL,
  chain TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (only_row)
);

CREATE TABLE IF NOT EXISTS "changes" (
  "revision" BIGINT NOT NULL,
  "batch_id" TEXT COLLATE "C" NOT NULL,
  "chain" TEXT COLLATE "C" NOT NULL,
  "at_ms" BIGINT NOT NULL,
  "ops" TEXT COLLATE "C" NOT NULL,
  "names" TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY ("revision")
);

CREATE TABLE IF NOT EXISTS "resource_classes" (
  "id" BIGINT NOT NULL,
  "name" TEXT COLLATE "C" NOT NULL,
  "updated_at" BIGINT NOT NULL,
  PRIMARY KEY ("id"),
  UNIQUE ("name")
);

CREATE TABLE IF NOT EXISTS "traits" (
  "id" BIGINT NOT NULL,
  "name" TEXT COLLATE "C" NOT NULL,
  "updated_at" BIGINT NOT NULL,
  PRIMARY KEY ("id"),
  UNIQUE ("name")
);

CREATE TABLE IF NOT EXISTS "aggregates" (
  "id" BIGINT NOT NULL,
  "uuid" TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY ("id"),
  UNIQUE ("uuid")
);

CREATE TABLE IF NOT EXISTS "resource_providers" (
  "id" BIGINT NOT NULL,
  "uuid" TEXT COLLATE "C" NOT NULL,
  "name" TEXT COLLATE "C" NOT NULL,
  "generation" BIGINT NOT NULL,
  "parent_id" BIGINT,
  "updated_at" BIGINT NOT NULL,
  PRIMARY KEY ("id"),
  UNIQUE ("uuid"),
  UNIQUE ("name")
);

CREATE TABLE IF NOT EXISTS "inventories" (
  "provider_id" BIGINT NOT NULL,
  "class_id" BIGINT NOT NULL,
  "total" BIGINT NOT NULL,
  "reserved" BIGINT NOT NULL,
  "min_unit" BIGINT NOT NULL,
  "max_unit" BIGINT NOT NULL,
  "step_size" BIGINT NOT NULL,
  "allocation_ratio" DOUBLE PRECISION NOT NULL,
  "updated_at" BIGINT NOT NULL,
  PRIMARY KEY ("provider_id", "class_id")
);

CREATE TABLE IF NOT EXISTS "provider_traits" (
  "provider_id" BIGINT NOT NULL,
  "trait_id" BIGINT NOT NULL,
  PRIMARY KEY ("provider_id", "trait_id")
);

CREATE TABLE IF NOT EXISTS "provider_aggregates" (
  "provider_id" BIGINT NOT NULL,
  "aggregate_id" BIGINT NOT NULL,
  PRIMARY KEY ("provider_id", "aggregate_id")
);

CREATE TABLE IF NOT EXISTS "consumers" (
  "id" BIGINT NOT NULL,
  "uuid" TEXT COLLATE "C" NOT NULL,
  "generation" BIGINT NOT NULL,
  "project_id" TEXT COLLATE "C" NOT NULL,
  "user_id" TEXT COLLATE "C" NOT NULL,
  "consumer_type" TEXT COLLATE "C",
  "updated_at" BIGINT NOT NULL,
  PRIMARY KEY ("id"),
  UNIQUE ("uuid")
);

CREATE TABLE IF NOT EXISTS "allocations" (
  "consumer_id" BIGINT NOT NULL,
  "provider_id" BIGINT NOT NULL,
  "class_id" BIGINT NOT NULL,
  "used" BIGINT NOT NULL,
  PRIMARY KEY ("consumer_id", "provider_id", "class_id")
);

CREATE TABLE IF NOT EXISTS "metadef_namespaces" (
  "id" BIGINT NOT NULL,
  "namespace" TEXT COLLATE "C" NOT NULL,
  "display_name" TEXT COLLATE "C",
  "description" TEXT COLLATE "C",
  "visibility" TEXT COLLATE "C" NOT NULL,
  "protected" BIGINT NOT NULL,
  "owner" TEXT COLLATE "C" NOT NULL,
  "applied_by" TEXT COLLATE "C",
  "created_at" BIGINT NOT NULL,
  "updated_at" BIGINT NOT NULL,
  PRIMARY KEY ("id"),
  UNIQUE ("namespace")
);

CREATE TABLE IF NOT EXISTS "metadef_resource_types" (
  "id" BIGINT NOT NULL,
  "name" TEXT COLLATE "C" NOT NULL,
  "created_at" BIGINT NOT NULL,
  "updated_at" BIGINT NOT NULL,
  PRIMARY KEY ("id"),
  UNIQUE ("name")
);

CREATE TABLE IF NOT EXISTS "metadef_associations" (
  "id" BIGINT NOT NULL,
  "namespace_id" BIGINT NOT NULL,
  "resource_type_id" BIGINT NOT NULL,
  "prefix" TEXT COLLATE "C",
  "properties_target" TEXT COLLATE "C",
  "created_at" BIGINT NOT NULL,
  "updated_at" BIGINT NOT NULL,
  PRIMARY KEY ("id"),
  UNIQUE ("namespace_id", "resource_type_id")
);

CREATE TABLE IF NOT EXISTS "metadef_properties" (
  "id" BIGINT NOT NULL,
  "namespace_id" BIGINT NOT NULL,
  "name" TEXT COLLATE "C" NOT NULL,
  "json_schema" TEXT COLLATE "C" NOT NULL,
  "created_at" BIGINT NOT NULL,
  "updated_at" BIGINT NOT NULL,
  PRIMARY KEY ("id"),
  UNIQUE ("namespace_id", "name")
);

CREATE TABLE IF NOT EXISTS "metadef_objects" (
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
);

CREATE TABLE IF NOT EXISTS "metadef_tags" (
  "id" BIGINT NOT NULL,
  "namespace_id" BIGINT NOT NULL,
  "name" TEXT COLLATE "C" NOT NULL,
  "created_at" BIGINT NOT NULL,
  "updated_at" BIGINT NOT NULL,
  PRIMARY KEY ("id"),
  UNIQUE ("namespace_id", "name")
);

CREATE TABLE IF NOT EXISTS "metadef_builtins" (
  "id" BIGINT NOT NULL,
  "namespace" TEXT COLLATE "C" NOT NULL,
  "loaded_at" BIGINT NOT NULL,
  PRIMARY KEY ("id"),
  UNIQUE ("namespace")
);

CREATE TABLE IF NOT EXISTS "flavors" (
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
);

CREATE TABLE IF NOT EXISTS "flavor_extra_specs" (
  "flavor_id" BIGINT NOT NULL,
  "key" TEXT COLLATE "C" NOT NULL,
  "value" TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY ("flavor_id", "key")
);

CREATE TABLE IF NOT EXISTS "flavor_access" (
  "flavor_id" BIGINT NOT NULL,
  "project_id" TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY ("flavor_id", "project_id")
);

CREATE TABLE IF NOT EXISTS "hosts" (
  "provider_id" BIGINT NOT NULL,
  "is_declared" BIGINT NOT NULL,
  "is_disabled" BIGINT NOT NULL,
  "disabled_reason" TEXT COLLATE "C",
  "is_forced_down" BIGINT NOT NULL,
  "is_down" BIGINT NOT NULL,
  "capabilities" TEXT COLLATE "C" NOT NULL,
  "applied_by" TEXT COLLATE "C",
  "created_at" BIGINT NOT NULL,
  "updated_at" BIGINT,
  PRIMARY KEY ("provider_id")
);

CREATE TABLE IF NOT EXISTS "host_aggregates" (
  "id" BIGINT NOT NULL,
  "uuid" TEXT COLLATE "C" NOT NULL,
  "name" TEXT COLLATE "C" NOT NULL,
  "applied_by" TEXT COLLATE "C",
  "created_at" BIGINT NOT NULL,
  "updated_at" BIGINT,
  PRIMARY KEY ("id"),
  UNIQUE ("uuid"),
  UNIQUE ("name")
);

CREATE TABLE IF NOT EXISTS "host_aggregate_metadata" (
  "aggregate_id" BIGINT NOT NULL,
  "key" TEXT COLLATE "C" NOT NULL,
  "value" TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY ("aggregate_id", "key")
);

CREATE TABLE IF NOT EXISTS "host_aggregate_hosts" (
  "aggregate_id" BIGINT NOT NULL,
  "provider_id" BIGINT NOT NULL,
  "made_member" BIGINT NOT NULL,
  PRIMARY KEY ("aggregate_id", "provider_id")
);

CREATE TABLE IF NOT EXISTS "server_groups" (
  "id" BIGINT NOT NULL,
  "uuid" TEXT COLLATE "C" NOT NULL,
  "name" TEXT COLLATE "C" NOT NULL,
  "policy" TEXT COLLATE "C" NOT NULL,
  "max_server_per_host" BIGINT,
  "project_id" TEXT COLLATE "C" NOT NULL,
  "user_id" TEXT COLLATE "C" NOT NULL,
  "applied_by" TEXT COLLATE "C",
  "created_at" BIGINT NOT NULL,
  PRIMARY KEY ("id"),
  UNIQUE ("uuid")
);

CREATE TABLE IF NOT EXISTS "server_group_members" (
  "consumer_id" BIGINT NOT NULL,
  "group_id" BIGINT NOT NULL,
  PRIMARY KEY ("consumer_id")
);

CREATE TABLE IF NOT EXISTS "server_requests" (
  "consumer_id" BIGINT NOT NULL,
  "name" TEXT COLLATE "C",
  "decision" TEXT COLLATE "C" NOT NULL,
  "request" TEXT COLLATE "C" NOT NULL,
  "applied_by" TEXT COLLATE "C",
  PRIMARY KEY ("consumer_id")
);

CREATE TABLE IF NOT EXISTS "reservations" (
  "id" BIGINT NOT NULL,
  "uuid" TEXT COLLATE "C" NOT NULL,
  "name" TEXT COLLATE "C" NOT NULL,
  "kind" TEXT COLLATE "C" NOT NULL,
  "project_id" TEXT COLLATE "C",
  "aggregate" TEXT COLLATE "C",
  "servers" BIGINT NOT NULL,
  "request" TEXT COLLATE "C" NOT NULL,
  "from_at" BIGINT NOT NULL,
  "until_at" BIGINT,
  "used" BIGINT NOT NULL,
  "short" BIGINT NOT NULL,
  "created_at" BIGINT NOT NULL,
  PRIMARY KEY ("id"),
  UNIQUE ("uuid"),
  UNIQUE ("name")
);

CREATE TABLE IF NOT EXISTS "reservation_slots" (
  "consumer_id" BIGINT NOT NULL,
  "reservation_id" BIGINT NOT NULL,
  PRIMARY KEY ("consumer_id")
);

CREATE TABLE IF NOT EXISTS "group_claims" (
  "consumer" TEXT COLLATE "C" NOT NULL,
  "group_uuid" TEXT COLLATE "C" NOT NULL,
  "policy" TEXT COLLATE "C" NOT NULL,
  "max_per_host" BIGINT NOT NULL,
  "members" TEXT COLLATE "C" NOT NULL,
  "expires_at" BIGINT NOT NULL,
  PRIMARY KEY ("consumer")
);

CREATE TABLE IF NOT EXISTS "manila_claims" (
  "share" TEXT COLLATE "C" NOT NULL,
  "operation" TEXT COLLATE "C" NOT NULL,
  "backend" TEXT COLLATE "C",
  "same_host" TEXT COLLATE "C" NOT NULL,
  "different_host" TEXT COLLATE "C" NOT NULL,
  "is_kept" BIGINT NOT NULL,
  "placed_at" BIGINT NOT NULL,
  "expires_at" BIGINT NOT NULL,
  PRIMARY KEY ("share")
);

CREATE TABLE IF NOT EXISTS "users" (
  "id" BIGINT NOT NULL,
  "uuid" TEXT COLLATE "C" NOT NULL,
  "name" TEXT COLLATE "C" NOT NULL,
  "password_hash" TEXT COLLATE "C",
  "is_enabled" BIGINT NOT NULL,
  "default_project" TEXT COLLATE "C",
  "description" TEXT COLLATE "C",
  "email" TEXT COLLATE "C",
  "tokens_since" BIGINT NOT NULL,
  "created_at" BIGINT NOT NULL,
  PRIMARY KEY ("id"),
  UNIQUE ("uuid"),
  UNIQUE ("name")
);

CREATE TABLE IF NOT EXISTS "projects" (
  "id" BIGINT NOT NULL,
  "uuid" TEXT COLLATE "C" NOT NULL,
  "name" TEXT COLLATE "C" NOT NULL,
  "description" TEXT COLLATE "C" NOT NULL,
  "is_enabled" BIGINT NOT NULL,
  "created_at" BIGINT NOT NULL,
  PRIMARY KEY ("id"),
  UNIQUE ("uuid"),
  UNIQUE ("name")
);

CREATE TABLE IF NOT EXISTS "roles" (
  "id" BIGINT NOT NULL,
  "uuid" TEXT COLLATE "C" NOT NULL,
  "name" TEXT COLLATE "C" NOT NULL,
  "created_at" BIGINT NOT NULL,
  PRIMARY KEY ("id"),
  UNIQUE ("uuid"),
  UNIQUE ("name")
);

CREATE TABLE IF NOT EXISTS "role_assignments" (
  "user_id" BIGINT NOT NULL,
  "project_id" BIGINT NOT NULL,
  "role_id" BIGINT NOT NULL,
  PRIMARY KEY ("user_id", "project_id", "role_id")
);

CREATE TABLE IF NOT EXISTS "application_credentials" (
  "id" BIGINT NOT NULL,
  "uuid" TEXT COLLATE "C" NOT NULL,
  "user_id" BIGINT NOT NULL,
  "project_id" BIGINT NOT NULL,
  "name" TEXT COLLATE "C" NOT NULL,
  "description" TEXT COLLATE "C",
  "secret_hash" TEXT COLLATE "C" NOT NULL,
  "roles" TEXT COLLATE "C" NOT NULL,
  "is_unrestricted" BIGINT NOT NULL,
  "expires_at" BIGINT,
  "created_at" BIGINT NOT NULL,
  PRIMARY KEY ("id"),
  UNIQUE ("uuid"),
  UNIQUE ("user_id", "name")
);

CREATE TABLE IF NOT EXISTS "static_tokens" (
  "id" BIGINT NOT NULL,
  "uuid" TEXT COLLATE "C" NOT NULL,
  "name" TEXT COLLATE "C" NOT NULL,
  "token_hash" TEXT COLLATE "C" NOT NULL,
  "project" TEXT COLLATE "C",
  "roles" TEXT COLLATE "C" NOT NULL,
  "expires_at" BIGINT,
  "created_by" TEXT COLLATE "C" NOT NULL,
  "created_at" BIGINT NOT NULL,
  PRIMARY KEY ("id"),
  UNIQUE ("uuid"),
  UNIQUE ("name"),
  UNIQUE ("token_hash")
);

CREATE TABLE IF NOT EXISTS "revoked_tokens" (
  "audit_id" TEXT COLLATE "C" NOT NULL,
  "expires_at" BIGINT NOT NULL,
  PRIMARY KEY ("audit_id")
);

CREATE TABLE IF NOT EXISTS "shadow_settings" (
  "id" BIGINT NOT NULL,
  "reads" TEXT COLLATE "C" NOT NULL,
  "writes" TEXT COLLATE "C" NOT NULL,
  "is_ended" BIGINT NOT NULL,
  "hold_until" BIGINT NOT NULL,
  "held" TEXT COLLATE "C" NOT NULL,
  "processes" TEXT COLLATE "C" NOT NULL,
  "leader" TEXT COLLATE "C" NOT NULL,
  "leader_until" BIGINT NOT NULL,
  "changed_at" BIGINT NOT NULL,
  PRIMARY KEY ("id")
);

CREATE TABLE IF NOT EXISTS "share_types" (
  "id" BIGINT NOT NULL,
  "uuid" TEXT COLLATE "C" NOT NULL,
  "name" TEXT COLLATE "C" NOT NULL,
  "description" TEXT COLLATE "C",
  "is_public" BIGINT NOT NULL,
  "is_default" BIGINT NOT NULL,
  "applied_by" TEXT COLLATE "C",
  "created_at" BIGINT NOT NULL,
  "updated_at" BIGINT,
  PRIMARY KEY ("id"),
  UNIQUE ("uuid"),
  UNIQUE ("name")
);

CREATE TABLE IF NOT EXISTS "share_type_extra_specs" (
  "type_id" BIGINT NOT NULL,
  "key" TEXT COLLATE "C" NOT NULL,
  "value" TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY ("type_id", "key")
);

CREATE TABLE IF NOT EXISTS "share_type_access" (
  "type_id" BIGINT NOT NULL,
  "project_id" TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY ("type_id", "project_id")
);

CREATE TABLE IF NOT EXISTS "share_backends" (
  "provider_id" BIGINT NOT NULL,
  "host" TEXT COLLATE "C" NOT NULL,
  "name" TEXT COLLATE "C" NOT NULL,
  "driver" TEXT COLLATE "C" NOT NULL,
  "settings" TEXT COLLATE "C" NOT NULL,
  "capabilities" TEXT COLLATE "C" NOT NULL,
  "availability_zone" TEXT COLLATE "C" NOT NULL,
  "is_disabled" BIGINT NOT NULL,
  "disabled_reason" TEXT COLLATE "C",
  "applied_by" TEXT COLLATE "C",
  "created_at" BIGINT NOT NULL,
  "updated_at" BIGINT,
  PRIMARY KEY ("provider_id")
);

CREATE TABLE IF NOT EXISTS "share_pools" (
  "provider_id" BIGINT NOT NULL,
  "backend_id" BIGINT NOT NULL,
  "name" TEXT COLLATE "C" NOT NULL,
  "reserved_percentage" BIGINT NOT NULL,
  "capabilities" TEXT COLLATE "C" NOT NULL,
  "created_at" BIGINT NOT NULL,
  "updated_at" BIGINT,
  PRIMARY KEY ("provider_id")
);

CREATE TABLE IF NOT EXISTS "shares" (
  "id" BIGINT NOT NULL,
  "uuid" TEXT COLLATE "C" NOT NULL,
  "project_id" TEXT COLLATE "C" NOT NULL,
  "user_id" TEXT COLLATE "C" NOT NULL,
  "name" TEXT COLLATE "C",
  "description" TEXT COLLATE "C",
  "size" BIGINT NOT NULL,
  "protocol" TEXT COLLATE "C" NOT NULL,
  "type_id" BIGINT NOT NULL,
  "pool_id" BIGINT,
  "status" TEXT COLLATE "C" NOT NULL,
  "task_state" TEXT COLLATE "C",
  "is_public" BIGINT NOT NULL,
  "availability_zone" TEXT COLLATE "C",
  "snapshot" TEXT COLLATE "C",
  "export_path" TEXT COLLATE "C",
  "target_pool_id" BIGINT,
  "target_type_id" BIGINT,
  "target_path" TEXT COLLATE "C",
  "target_size" BIGINT,
  "is_move_forced" BIGINT NOT NULL,
  "is_forced" BIGINT NOT NULL,
  "applied_by" TEXT COLLATE "C",
  "deleted_at" BIGINT,
  "created_at" BIGINT NOT NULL,
  "updated_at" BIGINT,
  PRIMARY KEY ("id"),
  UNIQUE ("uuid")
);

CREATE TABLE IF NOT EXISTS "share_metadata" (
  "share_id" BIGINT NOT NULL,
  "key" TEXT COLLATE "C" NOT NULL,
  "value" TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY ("share_id", "key")
);

CREATE TABLE IF NOT EXISTS "share_hints" (
  "share_id" BIGINT NOT NULL,
  "kind" TEXT COLLATE "C" NOT NULL,
  "other" TEXT COLLATE "C" NOT NULL,
  "place" BIGINT NOT NULL,
  PRIMARY KEY ("share_id", "kind", "other")
);

CREATE TABLE IF NOT EXISTS "share_snapshots" (
  "id" BIGINT NOT NULL,
  "uuid" TEXT COLLATE "C" NOT NULL,
  "share_id" BIGINT NOT NULL,
  "project_id" TEXT COLLATE "C" NOT NULL,
  "user_id" TEXT COLLATE "C" NOT NULL,
  "name" TEXT COLLATE "C",
  "description" TEXT COLLATE "C",
  "size" BIGINT NOT NULL,
  "protocol" TEXT COLLATE "C" NOT NULL,
  "status" TEXT COLLATE "C" NOT NULL,
  "created_at" BIGINT NOT NULL,
  "updated_at" BIGINT,
  PRIMARY KEY ("id"),
  UNIQUE ("uuid")
);

CREATE TABLE IF NOT EXISTS "share_access_rules" (
  "id" BIGINT NOT NULL,
  "uuid" TEXT COLLATE "C" NOT NULL,
  "share_id" BIGINT NOT NULL,
  "access_type" TEXT COLLATE "C" NOT NULL,
  "access_to" TEXT COLLATE "C" NOT NULL,
  "access_level" TEXT COLLATE "C" NOT NULL,
  "state" TEXT COLLATE "C" NOT NULL,
  "is_denied" BIGINT NOT NULL,
  "metadata" TEXT COLLATE "C" NOT NULL,
  "created_at" BIGINT NOT NULL,
  "updated_at" BIGINT,
  PRIMARY KEY ("id"),
  UNIQUE ("uuid")
);

CREATE TABLE IF NOT EXISTS "share_steps" (
  "id" BIGINT NOT NULL,
  "uuid" TEXT COLLATE "C" NOT NULL,
  "kind" TEXT COLLATE "C" NOT NULL,
  "backend_id" BIGINT NOT NULL,
  "pool_id" BIGINT NOT NULL,
  "share" TEXT COLLATE "C" NOT NULL,
  "facts" TEXT COLLATE "C" NOT NULL,
  "epoch" BIGINT,
  "attempts" BIGINT NOT NULL,
  "created_at" BIGINT NOT NULL,
  PRIMARY KEY ("id"),
  UNIQUE ("uuid")
);

CREATE TABLE IF NOT EXISTS "share_leases" (
  "backend_id" BIGINT NOT NULL,
  "holder" TEXT COLLATE "C" NOT NULL,
  "epoch" BIGINT NOT NULL,
  "expires_at" BIGINT NOT NULL,
  PRIMARY KEY ("backend_id")
);

CREATE TABLE IF NOT EXISTS "share_quotas" (
  "scope" TEXT COLLATE "C" NOT NULL,
  "resource" TEXT COLLATE "C" NOT NULL,
  "hard_limit" BIGINT NOT NULL,
  PRIMARY KEY ("scope", "resource")
);

CREATE TABLE IF NOT EXISTS "idempotency_keys" (
  "caller" TEXT COLLATE "C" NOT NULL,
  "key" TEXT COLLATE "C" NOT NULL,
  "request" TEXT COLLATE "C" NOT NULL,
  "status" BIGINT NOT NULL,
  "answer" TEXT COLLATE "C" NOT NULL,
  "at_ms" BIGINT NOT NULL,
  PRIMARY KEY ("caller", "key")
);

CREATE TABLE IF NOT EXISTS "decisions" (
  "id" TEXT COLLATE "C" NOT NULL,
  "kind" TEXT COLLATE "C" NOT NULL,
  "outcome" TEXT COLLATE "C" NOT NULL,
  "project_id" TEXT COLLATE "C",
  "revision" BIGINT NOT NULL,
  "decided_revision" BIGINT NOT NULL,
  "seed" BIGINT NOT NULL,
  "request" TEXT COLLATE "C" NOT NULL,
  "summary" TEXT COLLATE "C" NOT NULL,
  "at_ms" BIGINT NOT NULL,
  "share" TEXT COLLATE "C",
  "request_id" TEXT COLLATE "C",
  "global_request_id" TEXT COLLATE "C",
  PRIMARY KEY ("id")
);

CREATE TABLE IF NOT EXISTS "decision_servers" (
  "instance" TEXT COLLATE "C" NOT NULL,
  "decision" TEXT COLLATE "C" NOT NULL,
  "at_ms" BIGINT NOT NULL,
  PRIMARY KEY ("instance", "decision")
);

CREATE TABLE IF NOT EXISTS "tokens" (
  "token_hash" TEXT COLLATE "C" NOT NULL,
  "user" TEXT COLLATE "C" NOT NULL,
  "project" TEXT COLLATE "C",
  "application_credential" TEXT COLLATE "C",
  "methods" TEXT COLLATE "C" NOT NULL,
  "audit_ids" TEXT COLLATE "C" NOT NULL,
  "issued_at" BIGINT NOT NULL,
  "expires_at" BIGINT NOT NULL,
  "at_ms" BIGINT NOT NULL,
  PRIMARY KEY ("token_hash")
);

CREATE TABLE IF NOT EXISTS "audit_log" (
  "id" TEXT COLLATE "C" NOT NULL,
  "request_id" TEXT COLLATE "C" NOT NULL,
  "user" TEXT COLLATE "C" NOT NULL,
  "project" TEXT COLLATE "C",
  "roles" TEXT COLLATE "C" NOT NULL,
  "service" TEXT COLLATE "C" NOT NULL,
  "operation" TEXT COLLATE "C",
  "method" TEXT COLLATE "C" NOT NULL,
  "path" TEXT COLLATE "C" NOT NULL,
  "command" TEXT COLLATE "C" NOT NULL,
  "revision" BIGINT NOT NULL,
  "rows" BIGINT NOT NULL,
  "generations" TEXT COLLATE "C" NOT NULL,
  "at_ms" BIGINT NOT NULL,
  PRIMARY KEY ("id")
);

CREATE TABLE IF NOT EXISTS "share_messages" (
  "id" TEXT COLLATE "C" NOT NULL,
  "project_id" TEXT COLLATE "C" NOT NULL,
  "resource_type" TEXT COLLATE "C" NOT NULL,
  "resource_id" TEXT COLLATE "C" NOT NULL,
  "action_id" TEXT COLLATE "C" NOT NULL,
  "detail_id" TEXT COLLATE "C" NOT NULL,
  "level" TEXT COLLATE "C" NOT NULL,
  "request_id" TEXT COLLATE "C",
  "user_message" TEXT COLLATE "C" NOT NULL,
  "is_deleted" BIGINT NOT NULL,
  "at_ms" BIGINT NOT NULL,
  PRIMARY KEY ("id")
);

CREATE TABLE IF NOT EXISTS "shadow_queue" (
  "id" TEXT COLLATE "C" NOT NULL,
  "request_id" TEXT COLLATE "C" NOT NULL,
  "method" TEXT COLLATE "C" NOT NULL,
  "path" TEXT COLLATE "C" NOT NULL,
  "version" TEXT COLLATE "C" NOT NULL,
  "body" TEXT COLLATE "C" NOT NULL,
  "subjects" TEXT COLLATE "C" NOT NULL,
  "at_ms" BIGINT NOT NULL,
  PRIMARY KEY ("id")
);

CREATE TABLE IF NOT EXISTS "usage_minutes" (
  "scope" TEXT COLLATE "C" NOT NULL,
  "points" TEXT COLLATE "C" NOT NULL,
  "is_made_up" BIGINT NOT NULL,
  "at_ms" BIGINT NOT NULL,
  PRIMARY KEY ("scope", "at_ms")
);

CREATE TABLE IF NOT EXISTS "usage_hours" (
  "scope" TEXT COLLATE "C" NOT NULL,
  "points" TEXT COLLATE "C" NOT NULL,
  "is_made_up" BIGINT NOT NULL,
  "at_ms" BIGINT NOT NULL,
  PRIMARY KEY ("scope", "at_ms")
);

CREATE TABLE IF NOT EXISTS "usage_days" (
  "scope" TEXT COLLATE "C" NOT NULL,
  "points" TEXT COLLATE "C" NOT NULL,
  "is_made_up" BIGINT NOT NULL,
  "at_ms" BIGINT NOT NULL,
  PRIMARY KEY ("scope", "at_ms")
);

CREATE INDEX IF NOT EXISTS "idempotency_keys_by_age" ON "idempotency_keys" ("at_ms");

CREATE INDEX IF NOT EXISTS "decisions_by_age" ON "decisions" ("at_ms");

CREATE INDEX IF NOT EXISTS "decisions_by_outcome" ON "decisions" ("outcome", "at_ms");

CREATE INDEX IF NOT EXISTS "decisions_by_project_id" ON "decisions" ("project_id", "at_ms");

CREATE INDEX IF NOT EXISTS "decisions_by_share" ON "decisions" ("share", "at_ms");

CREATE INDEX IF NOT EXISTS "decision_servers_by_age" ON "decision_servers" ("at_ms");

CREATE INDEX IF NOT EXISTS "tokens_by_age" ON "tokens" ("at_ms");

CREATE INDEX IF NOT EXISTS "audit_log_by_age" ON "audit_log" ("at_ms");

CREATE INDEX IF NOT EXISTS "share_messages_by_age" ON "share_messages" ("at_ms");

CREATE INDEX IF NOT EXISTS "shadow_queue_by_age" ON "shadow_queue" ("at_ms");

CREATE INDEX IF NOT EXISTS "usage_minutes_by_age" ON "usage_minutes" ("at_ms");

CREATE INDEX IF NOT EXISTS "usage_hours_by_age" ON "usage_hours" ("at_ms");

CREATE INDEX IF NOT EXISTS "usage_days_by_age" ON "usage_days" ("at_ms");
