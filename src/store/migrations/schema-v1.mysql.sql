CREATE TABLE IF NOT EXISTS berth_schema (
  version BIGINT NOT NULL,
  title VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  PRIMARY KEY (version)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS head (
  only_row BIGINT NOT NULL CHECK (only_row = 1),
  revision BIGINT NOT NULL,
  chain VARCHAR(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  turn VARCHAR(36) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  PRIMARY KEY (only_row)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS berth_copy (
  only_row BIGINT NOT NULL CHECK (only_row = 1),
  state LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  PRIMARY KEY (only_row)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS `changes` (
  `revision` BIGINT NOT NULL,
  `batch_id` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `chain` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `at_ms` BIGINT NOT NULL,
  `ops` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `names` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  PRIMARY KEY (`revision`)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS `resource_classes` (
  `id` BIGINT NOT NULL,
  `name` VARCHAR(760) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `updated_at` BIGINT NOT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY (`name`)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS `traits` (
  `id` BIGINT NOT NULL,
  `name` VARCHAR(760) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `updated_at` BIGINT NOT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY (`name`)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS `aggregates` (
  `id` BIGINT NOT NULL,
  `uuid` VARCHAR(760) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY (`uuid`)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS `resource_providers` (
  `id` BIGINT NOT NULL,
  `uuid` VARCHAR(760) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `name` VARCHAR(760) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `generation` BIGINT NOT NULL,
  `parent_id` BIGINT,
  `updated_at` BIGINT NOT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY (`uuid`),
  UNIQUE KEY (`name`)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS `inventories` (
  `provider_id` BIGINT NOT NULL,
  `class_id` BIGINT NOT NULL,
  `total` BIGINT NOT NULL,
  `reserved` BIGINT NOT NULL,
  `min_unit` BIGINT NOT NULL,
  `max_unit` BIGINT NOT NULL,
  `step_size` BIGINT NOT NULL,
  `allocation_ratio` DOUBLE NOT NULL,
  `updated_at` BIGINT NOT NULL,
  PRIMARY KEY (`provider_id`, `class_id`)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS `provider_traits` (
  `provider_id` BIGINT NOT NULL,
  `trait_id` BIGINT NOT NULL,
  PRIMARY KEY (`provider_id`, `trait_id`)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS `provider_aggregates` (
  `provider_id` BIGINT NOT NULL,
  `aggregate_id` BIGINT NOT NULL,
  PRIMARY KEY (`provider_id`, `aggregate_id`)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS `consumers` (
  `id` BIGINT NOT NULL,
  `uuid` VARCHAR(760) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `generation` BIGINT NOT NULL,
  `project_id` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `user_id` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `consumer_type` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin,
  `updated_at` BIGINT NOT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY (`uuid`)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS `allocations` (
  `consumer_id` BIGINT NOT NULL,
  `provider_id` BIGINT NOT NULL,
  `class_id` BIGINT NOT NULL,
  `used` BIGINT NOT NULL,
  PRIMARY KEY (`consumer_id`, `provider_id`, `class_id`)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS `metadef_namespaces` (
  `id` BIGINT NOT NULL,
  `namespace` VARCHAR(760) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `display_name` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin,
  `description` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin,
  `visibility` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `protected` BIGINT NOT NULL,
  `owner` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `applied_by` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin,
  `created_at` BIGINT NOT NULL,
  `updated_at` BIGINT NOT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY (`namespace`)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS `metadef_resource_types` (
  `id` BIGINT NOT NULL,
  `name` VARCHAR(760) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `created_at` BIGINT NOT NULL,
  `updated_at` BIGINT NOT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY (`name`)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS `metadef_associations` (
  `id` BIGINT NOT NULL,
  `namespace_id` BIGINT NOT NULL,
  `resource_type_id` BIGINT NOT NULL,
  `prefix` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin,
  `properties_target` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin,
  `created_at` BIGINT NOT NULL,
  `updated_at` BIGINT NOT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY (`namespace_id`, `resource_type_id`)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS `metadef_properties` (
  `id` BIGINT NOT NULL,
  `namespace_id` BIGINT NOT NULL,
  `name` VARCHAR(760) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `json_schema` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `created_at` BIGINT NOT NULL,
  `updated_at` BIGINT NOT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY (`namespace_id`, `name`)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS `metadef_objects` (
  `id` BIGINT NOT NULL,
  `namespace_id` BIGINT NOT NULL,
  `name` VARCHAR(760) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `description` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin,
  `required` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin,
  `json_schema` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin,
  `created_at` BIGINT NOT NULL,
  `updated_at` BIGINT NOT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY (`namespace_id`, `name`)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS `metadef_tags` (
  `id` BIGINT NOT NULL,
  `namespace_id` BIGINT NOT NULL,
  `name` VARCHAR(760) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `created_at` BIGINT NOT NULL,
  `updated_at` BIGINT NOT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY (`namespace_id`, `name`)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS `metadef_builtins` (
  `id` BIGINT NOT NULL,
  `namespace` VARCHAR(760) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `loaded_at` BIGINT NOT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY (`namespace`)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS `flavors` (
  `id` BIGINT NOT NULL,
  `flavorid` VARCHAR(760) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `name` VARCHAR(760) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `memory_mb` BIGINT NOT NULL,
  `vcpus` BIGINT NOT NULL,
  `root_gb` BIGINT NOT NULL,
  `ephemeral_gb` BIGINT NOT NULL,
  `swap` BIGINT NOT NULL,
  `rxtx_factor` DOUBLE NOT NULL,
  `is_public` BIGINT NOT NULL,
  `description` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin,
  `applied_by` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin,
  `created_at` BIGINT NOT NULL,
  `updated_at` BIGINT,
  PRIMARY KEY (`id`),
  UNIQUE KEY (`flavorid`),
  UNIQUE KEY (`name`)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS `flavor_extra_specs` (
  `flavor_id` BIGINT NOT NULL,
  `key` VARCHAR(760) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `value` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  PRIMARY KEY (`flavor_id`, `key`)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS `flavor_access` (
  `flavor_id` BIGINT NOT NULL,
  `project_id` VARCHAR(760) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  PRIMARY KEY (`flavor_id`, `project_id`)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS `hosts` (
  `provider_id` BIGINT NOT NULL,
  `is_declared` BIGINT NOT NULL,
  `is_disabled` BIGINT NOT NULL,
  `disabled_reason` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin,
  `is_forced_down` BIGINT NOT NULL,
  `is_down` BIGINT NOT NULL,
  `capabilities` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `applied_by` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin,
  `created_at` BIGINT NOT NULL,
  `updated_at` BIGINT,
  PRIMARY KEY (`provider_id`)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS `host_aggregates` (
  `id` BIGINT NOT NULL,
  `uuid` VARCHAR(760) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `name` VARCHAR(760) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `applied_by` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin,
  `created_at` BIGINT NOT NULL,
  `updated_at` BIGINT,
  PRIMARY KEY (`id`),
  UNIQUE KEY (`uuid`),
  UNIQUE KEY (`name`)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS `host_aggregate_metadata` (
  `aggregate_id` BIGINT NOT NULL,
  `key` VARCHAR(760) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `value` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  PRIMARY KEY (`aggregate_id`, `key`)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS `host_aggregate_hosts` (
  `aggregate_id` BIGINT NOT NULL,
  `provider_id` BIGINT NOT NULL,
  `made_member` BIGINT NOT NULL,
  PRIMARY KEY (`aggregate_id`, `provider_id`)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS `server_groups` (
  `id` BIGINT NOT NULL,
  `uuid` VARCHAR(760) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `name` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `policy` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `max_server_per_host` BIGINT,
  `project_id` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `user_id` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `applied_by` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin,
  `created_at` BIGINT NOT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY (`uuid`)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS `server_group_members` (
  `consumer_id` BIGINT NOT NULL,
  `group_id` BIGINT NOT NULL,
  PRIMARY KEY (`consumer_id`)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS `server_requests` (
  `consumer_id` BIGINT NOT NULL,
  `name` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin,
  `decision` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `request` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `applied_by` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin,
  PRIMARY KEY (`consumer_id`)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS `reservations` (
  `id` BIGINT NOT NULL,
  `uuid` VARCHAR(760) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `name` VARCHAR(760) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `kind` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `project_id` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin,
  `aggregate` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin,
  `servers` BIGINT NOT NULL,
  `request` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `from_at` BIGINT NOT NULL,
  `until_at` BIGINT,
  `used` BIGINT NOT NULL,
  `short` BIGINT NOT NULL,
  `created_at` BIGINT NOT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY (`uuid`),
  UNIQUE KEY (`name`)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS `reservation_slots` (
  `consumer_id` BIGINT NOT NULL,
  `reservation_id` BIGINT NOT NULL,
  PRIMARY KEY (`consumer_id`)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS `group_claims` (
  `consumer` VARCHAR(760) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `group_uuid` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `policy` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `max_per_host` BIGINT NOT NULL,
  `members` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `expires_at` BIGINT NOT NULL,
  PRIMARY KEY (`consumer`)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS `manila_claims` (
  `share` VARCHAR(760) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `operation` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `backend` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin,
  `same_host` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `different_host` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `is_kept` BIGINT NOT NULL,
  `placed_at` BIGINT NOT NULL,
  `expires_at` BIGINT NOT NULL,
  PRIMARY KEY (`share`)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS `users` (
  `id` BIGINT NOT NULL,
  `uuid` VARCHAR(760) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `name` VARCHAR(760) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `password_hash` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin,
  `is_enabled` BIGINT NOT NULL,
  `default_project` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin,
  `description` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin,
  `email` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin,
  `tokens_since` BIGINT NOT NULL,
  `created_at` BIGINT NOT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY (`uuid`),
  UNIQUE KEY (`name`)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS `projects` (
  `id` BIGINT NOT NULL,
  `uuid` VARCHAR(760) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `name` VARCHAR(760) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `description` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `is_enabled` BIGINT NOT NULL,
  `created_at` BIGINT NOT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY (`uuid`),
  UNIQUE KEY (`name`)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS `roles` (
  `id` BIGINT NOT NULL,
  `uuid` VARCHAR(760) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `name` VARCHAR(760) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `created_at` BIGINT NOT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY (`uuid`),
  UNIQUE KEY (`name`)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS `role_assignments` (
  `user_id` BIGINT NOT NULL,
  `project_id` BIGINT NOT NULL,
  `role_id` BIGINT NOT NULL,
  PRIMARY KEY (`user_id`, `project_id`, `role_id`)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS `application_credentials` (
  `id` BIGINT NOT NULL,
  `uuid` VARCHAR(760) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `user_id` BIGINT NOT NULL,
  `project_id` BIGINT NOT NULL,
  `name` VARCHAR(760) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `description` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin,
  `secret_hash` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `roles` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `is_unrestricted` BIGINT NOT NULL,
  `expires_at` BIGINT,
  `created_at` BIGINT NOT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY (`uuid`),
  UNIQUE KEY (`user_id`, `name`)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS `static_tokens` (
  `id` BIGINT NOT NULL,
  `uuid` VARCHAR(760) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `name` VARCHAR(760) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `token_hash` VARCHAR(760) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `project` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin,
  `roles` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `expires_at` BIGINT,
  `created_by` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `created_at` BIGINT NOT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY (`uuid`),
  UNIQUE KEY (`name`),
  UNIQUE KEY (`token_hash`)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS `revoked_tokens` (
  `audit_id` VARCHAR(760) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `expires_at` BIGINT NOT NULL,
  PRIMARY KEY (`audit_id`)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS `shadow_settings` (
  `id` BIGINT NOT NULL,
  `reads` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `writes` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `is_ended` BIGINT NOT NULL,
  `hold_until` BIGINT NOT NULL,
  `held` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `processes` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `leader` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `leader_until` BIGINT NOT NULL,
  `changed_at` BIGINT NOT NULL,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS `share_types` (
  `id` BIGINT NOT NULL,
  `uuid` VARCHAR(760) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `name` VARCHAR(760) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `description` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin,
  `is_public` BIGINT NOT NULL,
  `is_default` BIGINT NOT NULL,
  `applied_by` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin,
  `created_at` BIGINT NOT NULL,
  `updated_at` BIGINT,
  PRIMARY KEY (`id`),
  UNIQUE KEY (`uuid`),
  UNIQUE KEY (`name`)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS `share_type_extra_specs` (
  `type_id` BIGINT NOT NULL,
  `key` VARCHAR(760) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `value` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  PRIMARY KEY (`type_id`, `key`)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS `share_type_access` (
  `type_id` BIGINT NOT NULL,
  `project_id` VARCHAR(760) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  PRIMARY KEY (`type_id`, `project_id`)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS `share_backends` (
  `provider_id` BIGINT NOT NULL,
  `host` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `name` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `driver` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `settings` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `capabilities` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `availability_zone` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `is_disabled` BIGINT NOT NULL,
  `disabled_reason` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin,
  `applied_by` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin,
  `created_at` BIGINT NOT NULL,
  `updated_at` BIGINT,
  PRIMARY KEY (`provider_id`)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS `share_pools` (
  `provider_id` BIGINT NOT NULL,
  `backend_id` BIGINT NOT NULL,
  `name` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `reserved_percentage` BIGINT NOT NULL,
  `capabilities` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `created_at` BIGINT NOT NULL,
  `updated_at` BIGINT,
  PRIMARY KEY (`provider_id`)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS `shares` (
  `id` BIGINT NOT NULL,
  `uuid` VARCHAR(760) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `project_id` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `user_id` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `name` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin,
  `description` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin,
  `size` BIGINT NOT NULL,
  `protocol` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `type_id` BIGINT NOT NULL,
  `pool_id` BIGINT,
  `status` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `task_state` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin,
  `is_public` BIGINT NOT NULL,
  `availability_zone` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin,
  `snapshot` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin,
  `export_path` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin,
  `target_pool_id` BIGINT,
  `target_type_id` BIGINT,
  `target_path` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin,
  `target_size` BIGINT,
  `is_move_forced` BIGINT NOT NULL,
  `is_forced` BIGINT NOT NULL,
  `applied_by` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin,
  `deleted_at` BIGINT,
  `created_at` BIGINT NOT NULL,
  `updated_at` BIGINT,
  PRIMARY KEY (`id`),
  UNIQUE KEY (`uuid`)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS `share_metadata` (
  `share_id` BIGINT NOT NULL,
  `key` VARCHAR(760) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `value` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  PRIMARY KEY (`share_id`, `key`)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS `share_hints` (
  `share_id` BIGINT NOT NULL,
  `kind` VARCHAR(505) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `other` VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `place` BIGINT NOT NULL,
  PRIMARY KEY (`share_id`, `kind`, `other`)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS `share_snapshots` (
  `id` BIGINT NOT NULL,
  `uuid` VARCHAR(760) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `share_id` BIGINT NOT NULL,
  `project_id` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `user_id` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `name` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin,
  `description` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin,
  `size` BIGINT NOT NULL,
  `protocol` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `status` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `created_at` BIGINT NOT NULL,
  `updated_at` BIGINT,
  PRIMARY KEY (`id`),
  UNIQUE KEY (`uuid`)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS `share_access_rules` (
  `id` BIGINT NOT NULL,
  `uuid` VARCHAR(760) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `share_id` BIGINT NOT NULL,
  `access_type` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `access_to` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `access_level` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `state` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `is_denied` BIGINT NOT NULL,
  `metadata` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `created_at` BIGINT NOT NULL,
  `updated_at` BIGINT,
  PRIMARY KEY (`id`),
  UNIQUE KEY (`uuid`)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS `share_steps` (
  `id` BIGINT NOT NULL,
  `uuid` VARCHAR(760) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `kind` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `backend_id` BIGINT NOT NULL,
  `pool_id` BIGINT NOT NULL,
  `share` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `facts` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `epoch` BIGINT,
  `attempts` BIGINT NOT NULL,
  `created_at` BIGINT NOT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY (`uuid`)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS `share_leases` (
  `backend_id` BIGINT NOT NULL,
  `holder` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `epoch` BIGINT NOT NULL,
  `expires_at` BIGINT NOT NULL,
  PRIMARY KEY (`backend_id`)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS `share_quotas` (
  `scope` VARCHAR(505) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `resource` VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `hard_limit` BIGINT NOT NULL,
  PRIMARY KEY (`scope`, `resource`)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS `idempotency_keys` (
  `caller` VARCHAR(505) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `key` VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `request` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `status` BIGINT NOT NULL,
  `answer` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `at_ms` BIGINT NOT NULL,
  PRIMARY KEY (`caller`, `key`),
  KEY `by_age` (`at_ms`)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS `decisions` (
  `id` VARCHAR(760) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `kind` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `outcome` VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `project_id` VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin,
  `revision` BIGINT NOT NULL,
  `decided_revision` BIGINT NOT NULL,
  `seed` BIGINT NOT NULL,
  `request` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `summary` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `at_ms` BIGINT NOT NULL,
  `share` VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin,
  `request_id` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin,
  `global_request_id` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin,
  PRIMARY KEY (`id`),
  KEY `by_age` (`at_ms`),
  KEY `by_outcome` (`outcome`, `at_ms`),
  KEY `by_project_id` (`project_id`, `at_ms`),
  KEY `by_share` (`share`, `at_ms`)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS `decision_servers` (
  `instance` VARCHAR(505) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `decision` VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `at_ms` BIGINT NOT NULL,
  PRIMARY KEY (`instance`, `decision`),
  KEY `by_age` (`at_ms`)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS `tokens` (
  `token_hash` VARCHAR(760) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `user` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `project` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin,
  `application_credential` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin,
  `methods` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `audit_ids` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `issued_at` BIGINT NOT NULL,
  `expires_at` BIGINT NOT NULL,
  `at_ms` BIGINT NOT NULL,
  PRIMARY KEY (`token_hash`),
  KEY `by_age` (`at_ms`)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS `audit_log` (
  `id` VARCHAR(760) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `request_id` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `user` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `project` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin,
  `roles` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `service` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `operation` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin,
  `method` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `path` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `command` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `revision` BIGINT NOT NULL,
  `rows` BIGINT NOT NULL,
  `generations` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `at_ms` BIGINT NOT NULL,
  PRIMARY KEY (`id`),
  KEY `by_age` (`at_ms`)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS `share_messages` (
  `id` VARCHAR(760) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `project_id` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `resource_type` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `resource_id` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `action_id` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `detail_id` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `level` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `request_id` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin,
  `user_message` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `is_deleted` BIGINT NOT NULL,
  `at_ms` BIGINT NOT NULL,
  PRIMARY KEY (`id`),
  KEY `by_age` (`at_ms`)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS `shadow_queue` (
  `id` VARCHAR(760) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `request_id` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `method` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `path` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `version` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `body` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `subjects` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `at_ms` BIGINT NOT NULL,
  PRIMARY KEY (`id`),
  KEY `by_age` (`at_ms`)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS `usage_minutes` (
  `scope` VARCHAR(760) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `points` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `is_made_up` BIGINT NOT NULL,
  `at_ms` BIGINT NOT NULL,
  PRIMARY KEY (`scope`, `at_ms`),
  KEY `by_age` (`at_ms`)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS `usage_hours` (
  `scope` VARCHAR(760) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `points` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `is_made_up` BIGINT NOT NULL,
  `at_ms` BIGINT NOT NULL,
  PRIMARY KEY (`scope`, `at_ms`),
  KEY `by_age` (`at_ms`)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS `usage_days` (
  `scope` VARCHAR(760) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `points` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `is_made_up` BIGINT NOT NULL,
  `at_ms` BIGINT NOT NULL,
  PRIMARY KEY (`scope`, `at_ms`),
  KEY `by_age` (`at_ms`)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;
