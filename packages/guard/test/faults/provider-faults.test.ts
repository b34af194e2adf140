import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { client as attacker } from '../../../../test/fixtures/tls-identities.ts'
import { assertUnavailable, reasonOf } from '../guard-factory.ts'
import { keySetOf, TokenFactory } from '../token-factory.ts'
import { endlessFaults, type FaultServer, faults, startFaultServer } from './fault-server.ts'
import { guardAt } from './guard-at.ts'

const known = new TokenFactory('known')
const rotated = new TokenFactory('rotated')
const good = keySetOf(known)

describe('the guard, when the provider', () => {
  let server: FaultServer
  before(async () => {
    server = await startFaultServer(good)
  })
  after(() => server.down())

  const all = [
    ...Object.entries(faults).map(([name, fault]) => ({ name, ...fault, givesUpAfter: 0 })),
    ...Object.entries(endlessFaults).map(([name, fault]) => ({ name, ...fault, givesUpAfter: 5 })),
  ]
  for (const { name, code, begin, givesUpAfter } of all) {
    it(`${name}, accepts known keys, gives 503 for an unknown key, never 401, and tries once (FL4, FL6, FL7, FL8; CVE-2026-22036)`, async () => {
      server.publish(good)
      const { guard, ask, passUntilAttempt, failures } = guardAt(server.url)
      await guard.start()
      const before = server.requests()
      server.answerWith(begin(good))

      await passUntilAttempt(3600, givesUpAfter)
      assert.equal(server.requests(), before + 1)
      assert.deepEqual(failures(), [code])
      assert.equal(reasonOf(await ask(known)), 'admitted')
      assertUnavailable(await ask(rotated))
      assert.equal(server.requests(), before + 1)
      assert.equal(guard.isReady(), true)

      server.publish(keySetOf(known, rotated))
      await passUntilAttempt(2)
      assert.equal(reasonOf(await ask(rotated)), 'admitted')
      assert.equal(reasonOf(await ask(known)), 'admitted')
      guard.stop()
    })
  }
})

describe('the guard, when the provider redirects', () => {
  let attacker: Server
  let visits = 0
  before(async () => {
    attacker = createServer((_, response) => {
      visits += 1
      response.end(keySetOf(rotated))
    }).listen(0, '127.0.0.1')
    await once(attacker, 'listening')
  })
  after(() => attacker.close())

  for (const status of [301, 302, 303, 307, 308]) {
    it(`with ${status}, does not follow the redirect (FL8)`, async () => {
      const server = await startFaultServer(good)
      const { guard, ask, failures } = guardAt(server.url)
      const { port } = attacker.address() as AddressInfo
      server.answerWith((_, response) => {
        response.writeHead(status, { location: `http://127.0.0.1:${port}/` }).end()
      })
      await guard.start()
      assert.deepEqual(failures(), ['bad_status'])
      assertUnavailable(await ask(rotated))
      assert.equal(visits, 0)
      guard.stop()
      await server.down()
    })
  }
})

describe('the guard, when the provider has an untrusted certificate,', () => {
  it('ignores its keys (FL8)', async () => {
    const server = createTlsServer(attacker, (_, response) => response.end(good))
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const { guard, ask, failures } = guardAt(`https://localhost:${port}/keys`)
    await guard.start()
    assert.deepEqual(failures(), ['unreachable'])
    assertUnavailable(await ask(known))
    guard.stop()
    server.close()
  })
})

describe('the guard, when the provider is unavailable at start,', () => {
  it('responds with 503 and is not ready, and recovers within 2 s after the provider (FL1)', async () => {
    const server = await startFaultServer(good)
    await server.down()
    const { guard, ask, passUntilAttempt } = guardAt(server.url)
    await guard.start()
    assert.equal(guard.isReady(), false)
    assertUnavailable(await ask(known))
    for (const wait of [1, 2, 2]) await passUntilAttempt(wait)
    await server.up()
    await passUntilAttempt(2)
    assert.equal(guard.isReady(), true)
    assert.equal(reasonOf(await ask(known)), 'admitted')
    guard.stop()
    await server.down()
  })
})
