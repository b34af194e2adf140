import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  clientSecret,
  createTokenSource,
  type TokenSource,
} from '../../../packages/client/src/index.ts'
import { median } from '../../harness/results.ts'
import type { Figure } from '../figure.ts'
import type { GrowthCase } from '../growth-case.ts'

const calls = 10_000
const scopes = 1000
const rounds = 5
const defaultRequestsInFlight = 16

/** A token endpoint that counts its requests and its open connections. */
async function startTokenEndpoint() {
  let requests = 0
  let mostSockets = 0
  const sockets = new Set<object>()
  const server = createServer((request, response) => {
    requests += 1
    request.resume()
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ access_token: 'x.y.z', token_type: 'Bearer', expires_in: 3600 }))
  })
  server.on('connection', (socket) => {
    sockets.add(socket)
    mostSockets = Math.max(mostSockets, sockets.size)
    socket.once('close', () => sockets.delete(socket))
  })
  const { promise: listening, resolve } = Promise.withResolvers<void>()
  server.listen(0, '127.0.0.1', resolve)
  await listening
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/token`,
    read: () => ({ requests, mostSockets }),
    stop: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

const sourceOf = (tokenEndpoint: string, scope: string): TokenSource =>
  createTokenSource({
    ...{ tokenEndpoint, scope, clientId: 'growth' },
    credential: clientSecret('not a real secret'),
    deadlineMs: 60_000,
  })

/** Many calls of the client library at once. */
export const client: GrowthCase = {
  id: 'client',
  title: 'the client library, many calls at once; the size is their number',
  usesStore: false,
  goals: [
    { what: 'token() with one AbortSignal', size: calls, atMost: 0.15 },
    { what: 'connections for one scope each', size: scopes, atMost: defaultRequestsInFlight },
  ],
  async run({ isTiny, progress }) {
    const figures: Figure[] = []
    const callSizes = isTiny ? [10] : [1000, calls]
    for (const size of callSizes) {
      progress(`${size} calls of token()`)
      const times: number[] = []
      for (let round = 0; round < (isTiny ? 1 : rounds); round += 1) {
        const endpoint = await startTokenEndpoint()
        const source = sourceOf(endpoint.url, 'api://growth/.default')
        const { signal } = new AbortController()
        const startedMs = performance.now()
        await Promise.all(Array.from({ length: size }, () => source.token({ signal })))
        times.push((performance.now() - startedMs) / 1000)
        endpoint.stop()
      }
      figures.push({ what: 'token() with one AbortSignal', size, unit: 's', value: median(times) })
    }
    const size = isTiny ? 10 : scopes
    progress(`${size} scopes at once`)
    const endpoint = await startTokenEndpoint()
    const startedMs = performance.now()
    await Promise.all(
      Array.from({ length: size }, (_, index) =>
        sourceOf(endpoint.url, `api://growth-${index}/.default`).token(),
      ),
    )
    const seconds = (performance.now() - startedMs) / 1000
    const { requests, mostSockets } = endpoint.read()
    endpoint.stop()
    figures.push(
      { what: 'one scope each', size, unit: 's', value: seconds },
      { what: 'requests for one scope each', size, unit: 'count', value: requests },
      { what: 'connections for one scope each', size, unit: 'count', value: mostSockets },
    )
    return { figures }
  },
}
