import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { proofOfGuarding, proofOfOpenness } from '../harness/guard-proof.ts'
import { createScene } from '../harness/scene.ts'

const scene = createScene()

/** Answers of three servers that no row may count. */
const servers: Readonly<Record<string, RequestListener>> = {
  '/lets-anybody-in': (_request, response) => response.end('Hi'),
  '/lets-nobody-in': (_request, response) => response.writeHead(401).end(),
  '/breaks': (_request, response) => response.writeHead(500).end(),
}

describe('the proof that a row is guarded', () => {
  const server = createServer((request, response) =>
    servers[request.url ?? '']?.(request, response),
  )
  let origin = ''

  before(async () => {
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  after(() => {
    server.closeAllConnections()
    server.close()
  })

  it('names every intruder that got in', async () => {
    const faults = await proofOfGuarding(`${origin}/lets-anybody-in`, scene)
    assert.deepEqual(faults, [
      'no token got 200',
      'a token with a changed signature got 200',
      'a token signed by a stranger got 200',
      'an expired token got 200',
      'a token for another audience got 200',
      'a token of another issuer got 200',
      'a token without the role got 200',
    ])
  })

  it('wants the good token to be let in', async () => {
    const faults = await proofOfGuarding(`${origin}/lets-nobody-in`, scene)
    assert.deepEqual(faults, ['a good token got 401'])
  })

  it('does not take a server that breaks for one that refuses', async () => {
    const faults = await proofOfGuarding(`${origin}/breaks`, scene)
    assert.equal(faults.length, 8)
  })

  it('wants an open row to be open', async () => {
    assert.deepEqual(await proofOfOpenness(`${origin}/lets-anybody-in`), [])
    assert.deepEqual(await proofOfOpenness(`${origin}/lets-nobody-in`), [
      'the open route answered 401',
    ])
  })
})
