import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { role, withApi } from '../graph/applications/sample-api.ts'

const resourceAppId = 'a2b5c3d4-0000-4000-8000-00000000abcd'

/** An application with one role and one secret, and a list of the applications that a filter finds. */
async function withSecret() {
  const { admin } = await withApi()
  const { body } = await admin.post('/applications', {
    displayName: 'Orders',
    appRoles: [role({ value: 'Orders.Read' })],
    requiredResourceAccess: [{ resourceAppId, resourceAccess: [] }],
    passwordCredentials: [{ displayName: 'first', endDateTime: '2026-06-01T02:00:00+02:00' }],
  })
  const [secret] = body.passwordCredentials as readonly { keyId: string; secretText: string }[]
  const list = (filter: string) =>
    admin.get(`/applications?$filter=${encodeURIComponent(filter)}&$select=displayName`)
  return { list, secret }
}

describe('a filter on the members of a collection', () => {
  it('finds objects with one entry that satisfies it, with names in any case', async () => {
    const { list, secret } = await withSecret()
    for (const filter of [
      `passwordCredentials/any(c:c/keyId eq ${secret?.keyId})`,
      `passwordCredentials/any(c:c/KEYID eq ${secret?.keyId})`,
      "passwordCredentials/any(c:c/displayName in ('first','second'))",
      'passwordCredentials/any(c:c/endDateTime eq 2026-06-01T00:00:00Z)',
      "appRoles/any(r:r/value eq 'Orders.Read')",
      `requiredResourceAccess/any(r:r/resourceAppId eq '${resourceAppId.toUpperCase()}')`,
    ]) {
      const { status, body } = await list(filter)
      assert.equal(status, 200, filter)
      assert.deepEqual(
        body.value.map(({ displayName }) => displayName),
        ['Orders'],
        filter,
      )
    }
    assert.deepEqual((await list("passwordCredentials/any(c:c/displayName eq 'x')")).body.value, [])
  })

  const unknown = (member: string, type: string) =>
    new RegExp(`Could not find a property named '${member}' on type 'microsoft.graph.${type}'`)
  const refused: readonly (readonly [filter: string, message: RegExp])[] = [
    // A GUID or a time in quotes (entra E380).
    [
      `passwordCredentials/any(c:c/keyId eq '${resourceAppId}')`,
      /^Invalid filter clause: A binary operator with incompatible types was detected\. Found operand types 'Edm\.Guid' and 'Edm\.String' for operator kind 'Equal'\.$/,
    ],
    ["createdDateTime ge '2026-01-01T00:00:00Z'", /'Edm\.DateTimeOffset' .* 'GreaterThanOrEqual'/],
    ["createdDateTime le '2026-01-01'", /'Edm\.DateTimeOffset' .* 'LessThanOrEqual'/],
    ["passwordCredentials/any(c:c/secretSha256 eq 'x')", unknown('secretSha256', 'passwordCr.*')],
    ["passwordCredentials/any(c:c/__proto__ eq 'x')", unknown('__proto__', 'passwordCredential')],
    ['passwordCredentials/any(c:c/constructor eq null)', unknown('constructor', 'passwordCr.*')],
    ["passwordCredentials/any(c:c/nothing in ('x'))", unknown('nothing', 'passwordCredential')],
    [
      "id eq 'x' or passwordCredentials/any(c:c/nothing eq 'x')",
      unknown('nothing', 'passwordCredential'),
    ],
    [
      "passwordCredentials/any(c:c/secretText eq 'x')",
      /clause specified for property 'secretText'/,
    ],
    ["keyCredentials/any(c:c/key eq 'x')", /property 'key' of resource 'KeyCredential'/],
    ["keyCredentials/any(c:c/certificate eq 'x')", unknown('certificate', 'keyCredential')],
    ["appRoles/any(r:r/allowedMemberTypes eq 'User')", /property 'allowedMemberTypes'/],
    ["appRoles/any(r:r eq 'x')", /are objects. Use appRoles\/any\(x:x\/id eq/],
    ["identifierUris/any(u:u/length eq 'x')", /are texts. Use identifierUris\/any\(x:x eq/],
    ['passwordCredentials/any(c:c/endDateTime eq soon)', /value of 'endDateTime' must be a date/],
  ]
  for (const [filter, message] of refused)
    it(`is refused: ${filter}`, async () => {
      const { list } = await withSecret()
      const { status, body } = await list(filter)
      assert.equal(status, 400)
      assert.match(body.error.message, message)
    })
})
