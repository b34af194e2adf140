import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fromMicrosoftGraph, toMicrosoftGraph } from './azure-ad-graph.ts'

const tenant = '3ab8ab40-3f46-4c6f-a188-d449c658c748'
const filter = `%24filter=appId+eq+%27${tenant}%27`

describe('a request for Azure AD Graph', () => {
  it('is translated for Microsoft Graph if it lists service principals', () => {
    const path = `/${tenant}/servicePrincipals?${filter}&api-version=1.6`
    const request = { host: 'graph.windows.net', method: 'GET', path, body: '' }
    assert.deepEqual(toMicrosoftGraph(request), {
      ...request,
      host: 'graph.microsoft.com',
      path: `/v1.0/servicePrincipals?${filter}`,
    })
  })

  for (const { method, path } of [
    { method: 'POST', path: `/${tenant}/servicePrincipals` },
    { method: 'GET', path: `/${tenant}/applications` },
    { method: 'GET', path: `/${tenant}/servicePrincipals/1/owners` },
  ])
    it(`is not translated: ${method} ${path}`, () => {
      const request = { host: 'graph.windows.net', method, path, body: '' }
      assert.equal(toMicrosoftGraph(request), undefined)
    })
})

describe('a token request', () => {
  const request = (body: string) => ({
    host: 'login.microsoftonline.com',
    method: 'POST',
    path: `/${tenant}/oauth2/token?api-version=1.0`,
    body,
  })

  it('for Azure AD Graph is translated for Microsoft Graph', () => {
    const body = 'client_secret=a%2Bb&resource=https%3A%2F%2Fgraph.windows.net%2F'
    assert.deepEqual(
      toMicrosoftGraph(request(body)),
      request('client_secret=a%2Bb&resource=https%3A%2F%2Fgraph.microsoft.com%2F'),
    )
  })

  for (const body of ['resource=https%3A%2F%2Fmanagement.azure.com%2F', 'scope=a+b', ''])
    it(`stays unchanged: ${body || 'no body'}`, () => {
      assert.deepEqual(toMicrosoftGraph(request(body)), request(body))
    })
})

describe('a Microsoft Graph response', () => {
  it('uses the member names of Azure AD Graph', () => {
    assert.deepEqual(fromMicrosoftGraph({ value: [{ id: 'one', displayName: 'A' }] }), {
      'odata.metadata': 'https://graph.windows.net/myorganization/$metadata#directoryObjects',
      value: [
        {
          'odata.type': 'Microsoft.DirectoryServices.ServicePrincipal',
          objectType: 'ServicePrincipal',
          objectId: 'one',
          displayName: 'A',
        },
      ],
    })
  })

  it('uses the error format of Azure AD Graph', () => {
    const error = { code: 'Authorization_RequestDenied', message: 'Insufficient privileges.' }
    assert.deepEqual(fromMicrosoftGraph({ error }), {
      'odata.error': {
        code: 'Authorization_RequestDenied',
        message: { lang: 'en', value: 'Insufficient privileges.' },
      },
    })
  })
})
