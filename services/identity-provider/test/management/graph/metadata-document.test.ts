import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { complexTypeIn, typeName } from '@greeting/directory'
import {
  complexTypesOf,
  metadataDocument,
  model,
} from '../../../src/management/graph/metadata-operations.ts'
import { KeyEncryptionKey } from '../../../src/signing/key-encryption-key.ts'
import { fixtureSigningKey } from '../../signing/fixture-signing-key.ts'
import { role, withApi } from './applications/sample-api.ts'

const forms: Readonly<Record<string, (value: unknown) => boolean>> = {
  'Edm.String': (value) => typeof value === 'string',
  'Edm.Boolean': (value) => typeof value === 'boolean',
  'Edm.Int32': (value) => Number.isInteger(value),
  'Edm.Guid': (value) => /^[0-9a-f-]{36}$/.test(String(value)),
  'Edm.Binary': (value) => /^[\w+/=]*$/.test(String(value)),
  'Edm.DateTimeOffset': (value) => /T\d\d:\d\d:\d\d(?:\.\d{0,6}[1-9])?Z$/.test(String(value)),
}

/** The members of an object, with their types. */
type Members = Readonly<Record<string, { readonly type?: Parameters<typeof typeName>[0] }>>

/** Requires that a value of an answer has the type of the model. */
function requireType(name: string, { type = 'Edm.String' }: Members[string], value: unknown): void {
  const text = typeName(type)
  const [, element = text] = /^Collection\((.*)\)$/.exec(text) ?? []
  if (value !== null) assert.equal(Array.isArray(value), element !== text, name)
  for (const one of Array.isArray(value) ? value : [value]) {
    if (one === null) continue
    const complex = complexTypeIn(type)
    if (complex === undefined) assert.ok(forms[element]?.(one), `${name}: ${JSON.stringify(one)}`)
    else requireMembers(name, one, complex.members)
  }
}

function requireMembers(name: string, value: object, members: Members): void {
  const own = Object.entries(value).filter(([member]) => !member.startsWith('@'))
  for (const [member, one] of own) {
    const row = members[member]
    assert.ok(row !== undefined, `${name} has ${member}`)
    requireType(member, row, one)
  }
}

describe('the metadata document of Microsoft Graph', () => {
  it('declares the properties and types of the responses', async () => {
    const { certificate } = await fixtureSigningKey(KeyEncryptionKey.generate(), new Date())
    const { admin, api } = await withApi({
      appRoles: [role()],
      keyCredentials: [{ key: certificate }],
      tags: ['a'],
      web: { homePageUrl: 'https://contoso.example', redirectUris: ['https://contoso.example'] },
      requiredResourceAccess: [
        {
          resourceAppId: '00000003-0000-0000-c000-000000000000',
          resourceAccess: [{ id: '9a5d68dd-52b0-4cc2-bd40-abcf44ac3a30', type: 'Role' }],
        },
      ],
      optionalClaims: { accessToken: [{ name: 'idtyp' }], idToken: [{ name: 'email' }] },
      passwordCredentials: [{ displayName: 'first' }],
      api: { requestedAccessTokenVersion: 2 },
    })
    await admin.post('/servicePrincipals', { appId: api.appId })
    await admin.post(`/applications/${api.id}/federatedIdentityCredentials`, {
      name: 'orders',
      issuer: 'https://app.terraform.io',
      claimsMatchingExpression: {
        value: "claims['sub'] matches 'organization:a:*'",
        languageVersion: 1,
      },
      audiences: ['api://AzureADTokenExchange'],
    })
    const { body: extension } = await admin.post(`/applications/${api.id}/extensionProperties`, {
      name: 'jobGroup',
      dataType: 'String',
      targetObjects: ['User'],
    })
    for (const [type, path] of [
      ['application', `/applications/${api.id}`],
      ['servicePrincipal', `/servicePrincipals(appId='${api.appId}')`],
      [
        'federatedIdentityCredential',
        `/applications/${api.id}/federatedIdentityCredentials/orders`,
      ],
      ['extensionProperty', `/applications/${api.id}/extensionProperties/${extension.id}`],
      ['organization', '/organization'],
      ['domain', '/domains'],
    ] as const) {
      const { status, body } = await admin.get(path)
      assert.equal(status, 200, path)
      const entity = Array.isArray(body.value) ? body.value[0] : body
      const declared = model.find(({ set }) => set.type === type)
      requireMembers(type, entity as object, declared?.set.properties ?? {})
    }
  })

  it('declares every type that it uses', () => {
    const document = metadataDocument(model)
    const declared = new Set(
      [...document.matchAll(/<(?:Entity|Complex)Type Name="(\w+)"/g)].map(([, name]) => name),
    )
    const used = [...document.matchAll(/graph\.(\w+)[")]/g)].map(([, name]) => name)
    for (const name of used) assert.ok(declared.has(name), name)
    assert.equal(declared.size, model.length + complexTypesOf(model).length)
  })

  it('is XML at /$metadata', async () => {
    const { admin, request } = await withApi()
    assert.equal((await request('GET', '/$metadata', undefined, {})).status, 401)
    const { status, headers } = await admin.get('/$metadata')
    assert.equal(status, 200)
    assert.equal(headers.get('content-type'), 'application/xml; charset=utf-8')
    assert.equal((await admin.get('/$metadata?$select=id')).status, 400)
  })
})
