import assert from 'node:assert/strict'
import { Agent } from 'node:http'
import { after, before, describe, it } from 'node:test'
import { pino } from 'pino'
import {
  apiApplicationId,
  Signer,
  startFakeIdentityProvider,
  tenantId,
} from '../../../test/fixtures/signing-identity-provider.ts'
import { type Service, startService } from '../src/service.ts'
import { readSettings } from '../src/settings.ts'
import { call } from './call.ts'

let provider: Awaited<ReturnType<typeof startFakeIdentityProvider>>
let service: Service
let authorization = ''

before(async () => {
  provider = await startFakeIdentityProvider()
  const signer = await Signer.make('key-1', provider.url)
  provider.publish(signer.jwk)
  service = await startService(
    readSettings({
      TENANT_ID: tenantId,
      API_APPLICATION_ID: apiApplicationId,
      AUTH_URL: provider.url,
      ISSUER_URL: provider.url,
      PORT: '0',
    }),
    pino({ level: 'silent' }),
  )
  authorization = `Bearer ${await signer.token({ roles: [] })}`
})

/** Some 1,500 requests share a connection, which the service closes after a malformed one. */
const agent = new Agent({ keepAlive: true })

after(async () => {
  agent.destroy()
  await service.stop()
  await provider.stop()
})

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND']

/** Spellings of a path that two parsers may read differently. */
const disguises: readonly ((route: string) => string)[] = [
  (route) => `/api/v1/${route}`,
  (route) => `/api/v1/${route}/`,
  (route) => `/api/v1/${route}//`,
  (route) => `//api/v1/${route}`,
  (route) => `/api//v1/${route}`,
  (route) => `/api/v1//${route}`,
  (route) => `/api/v1/./${route}`,
  (route) => `/api/./v1/${route}`,
  (route) => `/api/v1/x/../${route}`,
  (route) => `/api/v1/../v1/${route}`,
  (route) => `/x/../api/v1/${route}`,
  (route) => `/api/v1/%2e/${route}`,
  (route) => `/api/v1/x/%2e%2e/${route}`,
  (route) => `/api/v1/x/..%2f${route}`,
  (route) => `/api%2fv1%2f${route}`,
  (route) => `/api/v1%2f${route}`,
  (route) => `/api/v1%2F${route}`,
  (route) => `/api/v1%5c${route}`,
  (route) => `/api/v1/${route}%2f`,
  (route) => `/api/v1/${route}%00`,
  (route) => `/api/v1/${route}%20`,
  (route) => `/api/v1/${route}%09`,
  (route) => `/api/v1/${route}%0a`,
  (route) => `/api/v1/${route}%23`,
  (route) => `/api/v1/${route}%3f`,
  (route) => `/api/v1/${route}.`,
  (route) => `/api/v1/${route};x=1`,
  (route) => `/api/v1;x=1/${route}`,
  (route) => `/api/v1/${route}.json`,
  (route) => `/api/v1/${route.toUpperCase()}`,
  (route) => `/API/V1/${route}`,
  (route) => `/Api/v1/${route}`,
  (route) => `/api/v1/%${route.charCodeAt(0).toString(16)}${route.slice(1)}`,
  (route) => `/%61pi/v1/${route}`,
  (route) => `/api/%761/${route}`,
  (route) => `/api/v1/%25${route.charCodeAt(0).toString(16)}${route.slice(1)}`,
  (route) => `/api/v1/${route}?name=x&name=y`,
  (route) => `/api/v1/${route}?/../../`,
  (route) => `/?/api/v1/${route}`,
  (route) => `/docs/../api/v1/${route}`,
  (route) => `/healthz/../api/v1/${route}`,
  (route) => `http://localhost/api/v1/${route}`,
]

const open = ['/?/api/v1/hi', '/?/api/v1/hello']

describe('any spelling of a path, with any method,', () => {
  for (const disguise of disguises) {
    const paths = ['hi', 'hello'].map(disguise)
    it(`${paths[0]} gets no greeting without a token or without the role (BI13, RS20; CVE-2021-31920, CVE-2025-58362)`, async () => {
      for (const path of paths) {
        for (const method of methods) {
          for (const answer of [
            await call(service.url, path, { method, agent }),
            await call(service.url, path, { method, agent, headers: { authorization } }),
          ]) {
            assert.doesNotMatch(answer.body, /^(Hi$|Hello, )/)
            const isOpen = open.includes(path) && ['GET', 'HEAD'].includes(method)
            const expected = isOpen ? [200] : [400, 401, 403, 404, 405]
            assert.ok(expected.includes(answer.status), `${method} ${path}: ${answer.status}`)
          }
        }
      }
    })
  }
})

/** Hosts that could become a part of the path. `é` is one byte, but several characters in a URL. */
const hosts: readonly [host: string, path: string][] = [
  ['é.é/metrics?xxx', '/'],
  ['é.é/healthz?xxx', '/api/v1/hi'],
  ['é.é/api/v1/hi?x', '/'],
  ['a/metrics?', '/'],
  ['a#', '/api/v1/hi'],
  ['user@a', '/api/v1/hi'],
]

describe('a malformed host', () => {
  for (const [host, path] of hosts) {
    it(`${host} is refused before the route ${path} (RS33)`, async () => {
      const { status, body } = await call(service.url, path, { headers: { host } })
      assert.equal(status, 400)
      assert.equal(JSON.parse(body).error, 'invalid_request')
    })
  }
})
