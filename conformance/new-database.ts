/** Makes a database of its own on a PostgreSQL server and prints its address: node new-database.ts postgres://USER@HOST:PORT/ */
import { randomUUID } from 'node:crypto'
import { Client } from 'pg'

const server = new URL(process.argv[2] ?? '')
const name = `berth_${randomUUID().replaceAll('-', '')}`
const admin = new URL(server)
if (admin.pathname.length <= 1) admin.pathname = '/postgres'
const client = new Client({ connectionString: admin.href })
await client.connect()
await client.query(`CREATE DATABASE ${name} ENCODING 'UTF8' TEMPLATE template0`)
await client.end()
server.pathname = `/${name}`
console.log(server.href)
