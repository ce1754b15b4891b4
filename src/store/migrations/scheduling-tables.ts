export const schedulingTablesInSqlite = [
  `CREATE TABLE "server_requests" (
  "consumer_id" INTEGER NOT NULL,
  "decision" TEXT NOT NULL,
  "request" TEXT NOT NULL,
  PRIMARY KEY ("consumer_id")
) STRICT`,
  `CREATE TABLE "decisions" (
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
  PRIMARY KEY ("id")
) STRICT, WITHOUT ROWID`,
  `CREATE INDEX "decisions_by_age" ON "decisions" ("at_ms")`,
]

export const schedulingTablesInPostgres = [
  `CREATE TABLE "server_requests" (
  "consumer_id" BIGINT NOT NULL,
  "decision" TEXT COLLATE "C" NOT NULL,
  "request" TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY ("consumer_id")
)`,
  `CREATE TABLE "decisions" (
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
  PRIMARY KEY ("id")
)`,
  `CREATE INDEX "decisions_by_age" ON "decisions" ("at_ms")`,
]
