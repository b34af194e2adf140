import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { withApi } from './sample-api.ts'

const kinds = ['accessToken', 'idToken', 'saml2Token'] as const
const shown = { source: null, essential: false, additionalProperties: [] }

describe('an optional claim', () => {
  // The claims of Terraform's azuread_application_optional_claims, of manifests and of Microsoft's examples.
  const rows: readonly (readonly [sent: object, shown: object])[] = [
    [{ name: 'myclaim' }, { name: 'myclaim', ...shown }],
    [
      { name: 'myclaim', source: '', essential: false, additionalProperties: [] },
      { name: 'myclaim', ...shown, source: '' },
    ],
    [
      { name: 'otherclaim', source: null, essential: false },
      { name: 'otherclaim', ...shown },
    ],
    [
      {
        name: 'userclaim',
        source: 'user',
        essential: true,
        additionalProperties: ['emit_as_roles'],
      },
      {
        name: 'userclaim',
        source: 'user',
        essential: true,
        additionalProperties: ['emit_as_roles'],
      },
    ],
    [
      { name: 'extension_ab603c56068041afb2f6832e2a17e237_skypeId', source: 'user' },
      { name: 'extension_ab603c56068041afb2f6832e2a17e237_skypeId', ...shown, source: 'user' },
    ],
    [
      { name: 'idtyp', essential: true },
      { name: 'idtyp', ...shown, essential: true },
    ],
  ]
  for (const kind of kinds)
    for (const [sent, expected] of rows)
      it(`of ${kind} is stored as it is sent: ${JSON.stringify(sent)} (entra E343)`, async () => {
        const optionalClaims = {
          [kind]: [{ '@odata.type': '#microsoft.graph.optionalClaim', ...sent }],
        }
        const { admin, api, path } = await withApi({ optionalClaims })
        const others = kinds.filter((one) => one !== kind).map((one) => [one, []])
        const whole = { [kind]: [expected], ...Object.fromEntries(others) }
        assert.deepEqual(api.optionalClaims, whole)
        assert.equal((await admin.patch(path, { optionalClaims: null })).status, 204)
        assert.equal((await admin.patch(path, { optionalClaims })).status, 204)
        const { body } = await admin.get(path)
        assert.deepEqual(body.optionalClaims, whole)
        const [claim] = (body.optionalClaims as Record<string, object[]>)[kind] ?? []
        const order = ['name', 'source', 'essential', 'additionalProperties']
        assert.deepEqual(Object.keys(claim ?? {}), order)
        assert.equal((await admin.patch(path, { optionalClaims: body.optionalClaims })).status, 204)
        assert.deepEqual((await admin.get(path)).body.optionalClaims, whole)
      })

  const refused: readonly (readonly [name: string, claim: object])[] = [
    ['a blank name', { name: ' ' }],
    ['no name', { source: 'user' }],
    ['a source that is not a string', { name: 'a', source: 1 }],
    ['a long source', { name: 'a', source: 'a'.repeat(257) }],
    ['an essential that is not a boolean', { name: 'a', essential: 'yes' }],
    ['an unknown member', { name: 'a', value: 'b' }],
  ]
  for (const kind of kinds)
    for (const [name, claim] of refused)
      it(`of ${kind} is refused with ${name}`, async () => {
        const { admin, path } = await withApi()
        const { body, status } = await admin.patch(path, { optionalClaims: { [kind]: [claim] } })
        assert.equal(status, 400)
        assert.match(body.error.message, new RegExp(`optionalClaims\\.${kind}\\[0\\]`))
      })
})
