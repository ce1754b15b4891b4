import { expect, test } from 'vitest'
import { databaseMeaning } from './database-url.ts'

test.each([
  ['postgresql://u:p%40x@db/placement', 'postgresql://u:p%40x@db/placement'],
  ['postgresql+psycopg2://u@db:5433/placement', 'postgresql://u@db:5433/placement'],
  [
    'postgresql+psycopg://u@/placement?host=/run/postgresql',
    'postgresql://u@/placement?host=/run/postgresql',
  ],
  ['postgresql+asyncpg://db/p?client_encoding=utf8&sslmode=require', 'postgresql://db/p?sslmode=require'],
  ['postgres://db/p?charset=utf8', 'postgresql://db/p'],
])('%s is a PostgreSQL', (connection, database) => {
  expect(databaseMeaning(connection)).toEqual({ engine: 'postgres', database })
})

test('connection_parameters are added', () => {
  expect(databaseMeaning('postgresql://db/p?sslmode=require', 'connect_timeout=5&charset=utf8')).toEqual({
    engine: 'postgres',
    database: 'postgresql://db/p?sslmode=require&connect_timeout=5',
  })
})

test.each([
  ['sqlite:////var/lib/placement/placement.sqlite', '/var/lib/placement'],
  ['sqlite:///placement.db', '.'],
  ['sqlite+pysqlite:////srv/p.db?timeout=5', '/srv'],
])('%s is the directory %s', (connection, data_dir) => {
  expect(databaseMeaning(connection)).toMatchObject({ engine: 'sqlite', data_dir })
})

test.each([
  ['sqlite://', /in memory/],
  ['sqlite:///:memory:', /in memory/],
  ['oracle://u:secret@db/x', /not a database URL that Berth knows/],
  ['secret', /not a database URL/],
])('%s is refused, and no password is shown', (connection, wrong) => {
  const meaning = databaseMeaning(connection)
  expect(meaning).toMatchObject({ engine: null, wrong: expect.stringMatching(wrong) })
  expect(JSON.stringify(meaning)).not.toContain('secret')
})

test.each([
  ['mysql+pymysql://u:s@db/placement?charset=utf8', 'mysql://u:s@db/placement'],
  ['mysql://u@db1:3306,db2:3306/placement', 'mysql://u@db1:3306,db2:3306/placement'],
  ['mariadb+mariadbconnector://u@db/placement?ssl_ca=/ca.pem', 'mysql://u@db/placement?ssl_ca=/ca.pem'],
])('%s is the database %s', (connection, database) => {
  expect(databaseMeaning(connection)).toEqual({ engine: 'mysql', database })
})
