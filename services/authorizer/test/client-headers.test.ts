import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { clientHeaderFault, overrideHeaders } from '../src/authorizer.ts'
import { proxyNames } from '../src/original-request.ts'

const names = {
  applicationId: 'X-Caller-Application-Id',
  tenantId: 'X-Caller-Tenant-Id',
  objectId: 'X-Caller-Object-Id',
  roles: 'X-Caller-Roles',
}
const renamed = { ...names, roles: 'X-Groups' }
const faultOf = (name: string, { proxy = 'traefik' as const, callers = names } = {}) =>
  clientHeaderFault(proxy, ['Accept', '*/*', name, 'Admin'], callers)

describe('client headers', () => {
  for (const name of [
    'X_Caller_Roles',
    'X.Caller.Roles',
    'X-Caller.Roles',
    'X-Caller_Roles',
    'x~caller~roles',
    "X'Caller-Roles",
    'X.Caller-Application.Id',
    'X|Caller|Tenant|Id',
  ])
    it(`are refused with ${name}, which could be mistaken for a caller header`, () =>
      assert.equal(faultOf(name), 'caller_header_disguised'))

  it('are also compared with renamed caller headers', () => {
    assert.equal(faultOf('X.Groups', { callers: renamed }), 'caller_header_disguised')
    assert.equal(faultOf('X.Groups'), undefined)
    assert.equal(faultOf('X.Caller.Roles', { callers: renamed }), undefined)
  })

  for (const name of ['X-Caller-Roles', 'x-caller-roles', 'X-Callers', 'X_Request_Id', 'X.Role'])
    it(`are accepted with ${name}`, () => assert.equal(faultOf(name), undefined))

  for (const name of [...overrideHeaders, 'x_http_method_override', 'X.Rewrite.URL'])
    it(`are refused with ${name}, which could override the method or the path`, () =>
      assert.equal(faultOf(name), 'override_header'))

  for (const proxy of proxyNames)
    it(`may contain the fields in which ${proxy} sends the original request`, () => {
      const asks = proxy === 'nginx' || proxy === 'haproxy'
      assert.equal(
        clientHeaderFault(proxy, ['X-Original-URI', '/'], names),
        asks ? undefined : 'override_header',
      )
      assert.equal(clientHeaderFault(proxy, ['X_Original_URI', '/'], names), 'override_header')
      assert.equal(clientHeaderFault(proxy, ['X-Forwarded-Uri', '/'], names), undefined)
    })
})

/** How each file removes a header: as a line with the name, or by a pattern that the name fits. */
const removals: Readonly<Record<string, (name: string) => RegExp>> = {
  'nginx.conf': (name) => new RegExp(`proxy_set_header ${name} "";`),
  'haproxy.cfg': (name) => new RegExp(`http-request del-header ${name}$`, 'm'),
  Caddyfile: (name) => new RegExp(`request_header -${name}$`, 'm'),
  'traefik-routes.yaml': (name) => new RegExp(`\\b${name}: ""`),
  'envoy.yaml': (name) => new RegExp(`\\["${name.toLowerCase()}"\\] = true`),
}
describe('the proxy configurations in the guide', () => {
  for (const [file, removalOf] of Object.entries(removals))
    it(`let no header that could override the method or the path pass ${file}`, () => {
      const folder = join(import.meta.dirname, '../../../test/system/unmodified/authorizer')
      const text = readFileSync(join(folder, file), 'utf8')
      for (const name of overrideHeaders) assert.match(text, removalOf(name), name)
    })
})
