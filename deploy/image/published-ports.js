// The first file of the image `greeting`. The command listens on loopback only, which a published port does
// not reach: the address of the container passes each connection on.
import { connect, createServer } from 'node:net'
import { networkInterfaces } from 'node:os'

const ports = [3000, 3443, 4000, 4443]
const addresses = Object.values(networkInterfaces())
  .flat()
  .filter(({ internal, family }) => !internal && family === 'IPv4')

if (process.argv[2] === 'start')
  for (const { address } of addresses)
    for (const port of ports)
      createServer((outer) => {
        const inner = connect(port, '127.0.0.1')
        const end = () => outer.destroy() && inner.destroy()
        outer.on('error', end).pipe(inner).on('error', end).pipe(outer)
      })
        .listen(port, address)
        .unref()
await import(new URL('greeting.js', import.meta.url).href)
