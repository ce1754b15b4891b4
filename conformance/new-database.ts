/** Makes a database of its own on a server and prints its address: node new-database.ts postgres://USER@HOST:PORT/ (or mysql://) */
import { randomUUID } from 'node:crypto'
import { createConnection } from 'mysql2/promise'
import { Client } from 'pg'

const server = new URL(process.argv[2] ?? '')
const name = `berth_${randomUUID().replaceAll('-', '')}`

async function createOnPostgres(): Promise<void> {
  const admin = new URL(server)
  if (admin.pathname.length <= 1) admin.pathname = '/postgres'
  const client = new Client({ connectionString: admin.href })
  await client.connect()
  await client.query(`CREATE DATABASE ${name} ENCODING 'UTF8' TEMPLATE template0`)
  await client.end()
}

async function createOnMysql(): Promise<void> {
  const { hostname: host, port, username: user, password } = server
  const connection = await createConnection({ host, port: Number(port), user, password })
  await connection.query(`CREATE DATABASE ${name}`)
  await connection.end()
}

await (server.protocol === 'mysql:' ? createOnMysql() : createOnPostgres())
server.pathname = `/${name}`
console.log(server.href)
