import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createGuard, entraFromEnvironment } from '@greeting/guard'
import { requireRole } from '@greeting/guard/node'

// Serves texts to callers with the role CallHiApiRole, and prints its port. The argument has the text of each path.
const texts = new Map(Object.entries<string>(JSON.parse(process.argv[2] ?? '')))
const guard = createGuard(entraFromEnvironment({ roles: ['CallHiApiRole'] }))
await guard.start()
const server = createServer(
  requireRole(guard, 'CallHiApiRole', ({ url = '' }, response) => {
    const [path = ''] = url.split('?')
    const text = texts.get(path)
    const type = text?.startsWith('{') ? 'application/json' : 'text/plain; version=0.0.4'
    response.writeHead(text === undefined ? 404 : 200, { 'content-type': type }).end(text)
  }),
)
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`)
})
