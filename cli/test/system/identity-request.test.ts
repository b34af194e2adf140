import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  appServicePath,
  readIdentityRequest,
  virtualMachinePath,
} from '../../src/system/identity-request.ts'

const secret = 'identity-header'
const host = '127.0.0.1:4000'
const onMachine = { host, metadata: 'true' }
const inAppService = { host, 'x-identity-header': secret }
const virtualMachine = `${virtualMachinePath}?api-version=2018-02-01&resource=api://a`
const appService = `${appServicePath}?api-version=2019-08-01&resource=api://a`

const read = (target: string, headers: Record<string, string>, method = 'GET') =>
  readIdentityRequest({ method, url: target, headers }, secret)

describe('a managed identity request', () => {
  const accepted: [string, string, Record<string, string>, string | undefined][] = [
    ['for a virtual machine', virtualMachine, onMachine, undefined],
    ['with a trailing slash', virtualMachine.replace('?', '/?'), onMachine, undefined],
    ['at localhost', virtualMachine, { ...onMachine, host: 'localhost:1' }, undefined],
    ['for App Service', appService, inAppService, undefined],
    ['for a user-assigned identity', `${appService}&client_id=AB`, inAppService, 'ab'],
  ]
  for (const [what, target, headers, clientId] of accepted)
    it(`is accepted ${what}`, () => {
      const result = read(target, headers)
      assert.ok('request' in result)
      assert.deepEqual(result.request, { resource: 'api://a', clientId })
    })

  const refused: [string, string, Record<string, string>, number, RegExp][] = [
    ['another path', '/x', onMachine, 404, /nothing/],
    ['a prototype member as the path', '/constructor', onMachine, 404, /nothing/],
    [
      'another host (DNS rebinding)',
      virtualMachine,
      { ...onMachine, host: 'evil.test' },
      404,
      /not/,
    ],
    ['a user before the host', virtualMachine, { ...onMachine, host: 'a@localhost' }, 404, /not/],
    ['a longer host', virtualMachine, { ...onMachine, host: 'localhost.evil.test' }, 404, /not/],
    ['no host', virtualMachine, { metadata: 'true' }, 404, /nothing/],
    ['no Metadata header', virtualMachine, { host }, 400, /metadata header/],
    ['no secret', appService, { host }, 401, /X-IDENTITY-HEADER/],
    ['another secret', appService, { host, 'x-identity-header': 'x' }, 401, /wrong/],
    ['a longer secret', appService, { host, 'x-identity-header': `${secret}x` }, 401, /wrong/],
    ['another version', appService.replace('2019', '2017'), inAppService, 400, /api-version/],
    ['no resource', appService.replace('&resource=api://a', ''), inAppService, 400, /resource/],
    ['a resource ID', `${virtualMachine}&msi_res_id=/x`, onMachine, 400, /msi_res_id/],
  ]
  for (const name of ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip'])
    refused.push([`the header ${name}`, virtualMachine, { ...onMachine, [name]: '1' }, 400, /forw/])
  for (const [what, target, headers, status, text] of refused)
    it(`is refused with ${status} for ${what}`, () => {
      const result = read(target, headers)
      assert.ok('status' in result)
      assert.equal(result.status, status)
      assert.match(JSON.stringify(result.body), text)
      assert.ok(!JSON.stringify(result.body).includes(secret))
    })

  it('is refused with 400 unless its method is GET', () => {
    const result = read(virtualMachine, onMachine, 'POST')
    assert.ok('status' in result && result.status === 400)
  })
})
