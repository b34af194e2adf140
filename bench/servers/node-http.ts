import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { announce } from './environment.ts'

/** The minimum of a server on Node: no routes, no checks, a fixed answer. */
const server = createServer((_request, response) => {
  response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8' })
  response.end('Hi')
})

server.listen(0, '127.0.0.1', () => {
  announce(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
})
