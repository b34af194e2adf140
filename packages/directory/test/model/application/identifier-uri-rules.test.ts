import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { guid, tenant } from '../../../../../test/fixtures/directory/sample.ts'
import {
  hasTenantName,
  judgeIdentifierUris,
  namesAnother,
} from '../../../src/model/application/identifier-uri-rules.ts'

const appId = guid(0xa0)
const codes = (...identifierUris: string[]) =>
  judgeIdentifierUris(identifierUris).map(({ code, path }) => `${path.join('.')} ${code}`)

describe('identifier URIs', () => {
  // entra E148: the documented patterns, and what the resource type of Graph adds.
  const ofTenant = [
    `api://${appId}`,
    `api://${appId.toUpperCase()}`,
    `api://${appId}/orders`,
    `api://${guid(1)}`,
    `api://${guid(1)}/${appId}`,
    `api://${guid(1)}/greeting`,
    `api://greeting/${appId}`,
    `api://greeting/${guid(1)}`,
    'api://contoso.example/orders',
    'api://contoso.example',
    'API://CONTOSO.example/orders',
    'api://orders.contoso.example/orders',
    'https://contoso.example/greeting',
    'https://contoso.example',
    'https://api.contoso.example',
    'https://api.contoso.example/greeting',
    'http://api.contoso.example/greeting',
    'spn://api.contoso.example/greeting',
    `https://orders.example/${appId}`,
    `https://orders.example/${guid(1)}`,
  ]
  for (const uri of ofTenant)
    it(`may be ${uri}`, () => {
      assert.deepEqual(codes(uri), [])
      assert.equal(hasTenantName(uri, appId, tenant()), true)
      assert.equal(namesAnother(uri, appId, tenant()), false)
    })

  const ofOthers: [string, isOfAnother: boolean][] = [
    ['api://greeting', false],
    ['api://greeting/orders', false],
    [`api://${guid(0xb0)}`, true],
    [`api://${guid(0xb0)}/orders`, true],
    [`api://${guid(2)}/orders`, true],
    [`api://${guid(1)}/${guid(0xb0)}`, true],
    [`api://${guid(1)}/${guid(0xb0).toUpperCase()}/orders`, true],
    ['api://evilcontoso.example/orders', false],
    ['api://contoso.example.evil.example/orders', false],
    ['api://contoso.example@evil.example/orders', false],
    ['https://fabrikam.example/greeting', false],
    ['https://evilcontoso.example/greeting', false],
    ['https://contoso.example.evil.example/greeting', false],
    ['https://contoso.example:8443/greeting', false],
    ['http://contoso.example/greeting', false],
    ['http://localhost.evil.example/mcp', false],
    ['http://user@localhost/mcp', false],
    ['ftp://localhost/mcp', false],
    ['urn:contoso.example:orders', false],
    [`urn:${appId}`, false],
  ]
  for (const [uri, isOfAnother] of ofOthers)
    it(`contain no tenant name in ${uri}`, () => {
      assert.deepEqual(codes(uri), [])
      assert.equal(hasTenantName(uri, appId, tenant()), false)
      assert.equal(namesAnother(uri, appId, tenant()), isOfAnother)
    })

  const refused = [
    `api://${appId}/`,
    'greeting',
    'api://with space',
    `api://${appId}#part`,
    `api://${appId}?version=1`,
    'http://127.0.0.1:3001/',
  ]
  for (const uri of refused)
    it(`may not be ${uri}`, () => assert.deepEqual(codes(uri), ['0 invalid_value']))

  it('must be unique, regardless of case', () => {
    const other = `api://${guid(1)}/Orders`
    assert.deepEqual(codes(`api://${appId}`, other, `api://${appId}`, other.toUpperCase()), [
      '2 duplicate_value',
      '3 duplicate_value',
    ])
  })
})
