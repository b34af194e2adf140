import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { guid, tenant } from '../../../../../fixtures/directory/sample.ts'
import { judgeIdentifierUris } from '../../../src/model/application/identifier-uri-rules.ts'

const appId = guid(0xa0)
const codes = (...identifierUris: string[]) =>
  judgeIdentifierUris({ appId, identifierUris }, tenant()).map(
    ({ code, path }) => `${path.join('.')} ${code}`,
  )

describe('identifier URIs', () => {
  const allowed = [
    `api://${appId}`,
    `api://${appId.toUpperCase()}`,
    `api://${guid(1)}/${appId}`,
    `api://${guid(1)}/greeting`,
    `api://greeting/${appId}`,
    'https://contoso.example/greeting',
    'https://api.contoso.example',
    'https://api.contoso.example/greeting',
    'http://127.0.0.1:3001/mcp',
    'https://localhost:3443/mcp',
  ]
  for (const uri of allowed) {
    it(`may be ${uri}`, () => assert.deepEqual(codes(uri), []))
  }

  const refused: [string, string][] = [
    [`api://${appId}/`, 'invalid_value'],
    ['greeting', 'invalid_value'],
    ['api://with space', 'invalid_value'],
    [`api://${appId}#part`, 'invalid_value'],
    [`api://${appId}?version=1`, 'invalid_value'],
    ['api://greeting', 'unverified_name'],
    [`api://${guid(0xb0)}`, 'unverified_name'],
    [`api://${guid(1)}/${guid(0xb0)}`, 'unverified_name'],
    [`api://${guid(1)}/${guid(0xb0).toUpperCase()}/orders`, 'unverified_name'],
    ['https://fabrikam.example/greeting', 'unverified_name'],
    ['https://evilcontoso.example/greeting', 'unverified_name'],
    ['https://contoso.example.evil.example/greeting', 'unverified_name'],
    ['http://contoso.example/greeting', 'unverified_name'],
    ['http://localhost.evil.example/mcp', 'unverified_name'],
    ['http://user@localhost/mcp', 'unverified_name'],
    ['ftp://localhost/mcp', 'unverified_name'],
    ['http://127.0.0.1:3001/', 'invalid_value'],
  ]
  for (const [uri, code] of refused) {
    it(`may not be ${uri}`, () => assert.deepEqual(codes(uri), [`0 ${code}`]))
  }

  it('must be unique without regard to case', () => {
    const other = `api://${guid(1)}/Orders`
    assert.deepEqual(codes(`api://${appId}`, other, `api://${appId}`, other.toUpperCase()), [
      '2 duplicate_value',
      '3 duplicate_value',
    ])
  })
})
