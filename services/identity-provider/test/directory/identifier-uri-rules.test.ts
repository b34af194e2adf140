import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { judgeIdentifierUris } from '../../src/directory/identifier-uri-rules.ts'
import { guid, tenant } from './sample.ts'

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
  ]
  for (const uri of allowed) {
    it(`may be ${uri}`, () => assert.deepEqual(codes(uri), []))
  }

  const refused: [string, string][] = [
    [`api://${appId}/`, 'INVALID_VALUE'],
    ['greeting', 'INVALID_VALUE'],
    ['api://with space', 'INVALID_VALUE'],
    [`api://${appId}#part`, 'INVALID_VALUE'],
    [`api://${appId}?version=1`, 'INVALID_VALUE'],
    ['api://greeting', 'UNVERIFIED_NAME'],
    [`api://${guid(0xb0)}`, 'UNVERIFIED_NAME'],
    [`api://${guid(1)}/${guid(0xb0)}`, 'UNVERIFIED_NAME'],
    [`api://${guid(1)}/${guid(0xb0).toUpperCase()}/orders`, 'UNVERIFIED_NAME'],
    ['https://fabrikam.example/greeting', 'UNVERIFIED_NAME'],
    ['https://evilcontoso.example/greeting', 'UNVERIFIED_NAME'],
    ['https://contoso.example.evil.example/greeting', 'UNVERIFIED_NAME'],
    ['http://contoso.example/greeting', 'UNVERIFIED_NAME'],
  ]
  for (const [uri, code] of refused) {
    it(`may not be ${uri}`, () => assert.deepEqual(codes(uri), [`0 ${code}`]))
  }

  it('are told apart without regard to case: each once', () => {
    const other = `api://${guid(1)}/Orders`
    assert.deepEqual(codes(`api://${appId}`, other, `api://${appId}`, other.toUpperCase()), [
      '2 DUPLICATE_VALUE',
      '3 DUPLICATE_VALUE',
    ])
  })
})
