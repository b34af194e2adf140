import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parseRegistrations } from '@greeting/registrations'
import { locateById } from '../../src/directory/locate.ts'
import { explain } from '../../src/explaining/explain.ts'
import { explanationText } from '../../src/explaining/explanation.ts'
import { planRegistrations } from '../../src/planning/plan.ts'
import { estimateTokenBytes, passesLimit, tokenSizeFault } from '../../src/token-size.ts'
import { confirmedIn, ids, now, sampleApi, sampleState } from './sample-state.ts'

const values = (count: number) => Array.from({ length: count }, (_, index) => `Orders.Read${index}`)

describe('the size of a token', () => {
  const faults: [bytes: number, fault: RegExp | undefined][] = [
    [1400, undefined],
    [8170, undefined],
    [8171, /^8\.0 KB: many proxies, such as nginx and Apache, refuse a header field above 8 KB$/],
    [15_850, /^15\.5 KB: many proxies/],
    [15_851, /^15\.5 KB: Node and the greeting API refuse header fields above 16 KB in all$/],
    [30_564, /^29\.8 KB: Node/],
  ]
  for (const [bytes, fault] of faults) {
    it(`is ${fault ? 'reported as too large for some servers' : 'accepted'} with ${bytes} bytes`, () => {
      const found = tokenSizeFault(bytes)
      if (fault === undefined) assert.equal(found, undefined)
      else assert.match(found ?? '', fault)
    })
  }

  it('grows by the size of a role in JSON, encoded in base64url', () => {
    assert.equal(estimateTokenBytes(['abc']) - estimateTokenBytes([]), 8)
    assert.equal(estimateTokenBytes(['äöü"']) - estimateTokenBytes([]), Math.ceil((11 * 4) / 3))
  })

  it('exceeds each limit only once', () => {
    const bytes = values(900).map((_, index, all) => estimateTokenBytes(all.slice(0, index)))
    const passed = bytes.filter(
      (after, index) => index > 0 && passesLimit(bytes[index - 1] ?? 0, after),
    )
    assert.equal(passed.length, 2)
  })
})

const roleId = (index: number) => `00000000-0000-4000-9000-${String(index).padStart(12, '0')}`
const [sampleRole] = sampleApi.appRoles
const rolesOf = (count: number, isEnabled = true) =>
  values(count).map((value, index) => ({ ...sampleRole, id: roleId(index), value, isEnabled }))
const fileWith = (count: number, isEnabled = true) => ({
  apis: [
    {
      displayName: 'Greeting API',
      appRoles: rolesOf(count, isEnabled).map(({ id, value }) => ({
        id,
        value,
        displayName: 'r',
        description: 'd',
        isEnabled,
      })),
    },
  ],
  clients: [
    {
      displayName: 'Greeting client',
      permissions: [{ api: 'Greeting API', roles: values(count) }],
    },
  ],
  consents: [{ client: 'Greeting client', api: 'Greeting API' }],
})
const effects = (file: unknown, state = sampleState()) => {
  const parsed = parseRegistrations(JSON.stringify(file))
  return planRegistrations({ file: parsed, state, now, confirmed: confirmedIn(state) }).ifApplied
}
const withRoles = (count: number, granted: number) =>
  sampleState({
    api: { appRoles: rolesOf(count) as typeof sampleApi.appRoles },
    client: {
      requiredResourceAccess: [
        {
          resourceAppId: ids.api,
          resourceAccess: rolesOf(count).map(({ id }) => ({ id, type: 'Role' })),
        },
      ],
    },
    assignments: rolesOf(granted).map(({ id }) => ({
      id,
      principalId: ids.clientPrincipal,
      resourceId: ids.apiPrincipal,
      appRoleId: id,
    })),
  })

describe('a plan with many roles', () => {
  it('warns about a token that some servers refuse', () => {
    assert.deepEqual(effects(fileWith(200)), [])
    assert.match(
      effects(fileWith(400)).join(),
      /^"Greeting client" gets a token for "Greeting API" with 400 roles and about 10\.\d KB: many proxies, .* above 8 KB\. Grant fewer roles of this API to one client, or divide the API into several\.$/,
    )
    assert.match(effects(fileWith(1000)).join(), /with 1000 roles and about 2\d\.\d KB: Node and/)
  })

  it('ignores disabled roles', () => {
    assert.doesNotMatch(effects(fileWith(1000, false)).join(), / KB/)
  })

  it('counts the roles in the directory if the file has no consents', () => {
    const { consents: _, ...file } = fileWith(1000)
    assert.match(effects(file, withRoles(1000, 1000)).join(), /with 1000 roles/)
    assert.doesNotMatch(effects(file, withRoles(1000, 3)).join(), / KB/)
  })
})

describe('an explanation with many roles', () => {
  const text = (granted: number) => {
    const state = withRoles(1000, granted)
    return explanationText(
      explain(state, locateById(state, ids.client), locateById(state, ids.api), now),
    )
  }
  it('warns about the current token, and about the token after consent', () => {
    assert.match(text(1000), /\nThe token has 1000 roles and about 2\d\.\d KB: Node /)
    assert.match(
      text(1),
      /\nMissing step: Admin consent\.\nWith consent, the token has 1000 roles /,
    )
  })
})
