import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import {
  type Application,
  graphAppId,
  newAgentIdentity,
  newApplication,
  newServicePrincipal,
  put,
  systemRuntime,
  tokenExchangeAppId,
  tokenExchangeUri,
} from '@greeting/directory'
import { decodeJwt } from 'jose'
import { appRoleAssignment } from '../../../../test/fixtures/directory/sample.ts'
import { wholeDirectory } from '../../../../test/fixtures/directory/whole-directory.ts'
import { FederatedIssuers } from '../../src/issuance/federation/federated-issuers.ts'
import { builtInApis } from '../../src/management/privileges/built-in-apis.ts'
import { asProof } from './client-certificate.ts'
import { changeApi, changeClient } from './client-change.ts'
import { apiId, clientId, scope, type TestService, tenantId, testService } from './test-service.ts'

const given = {
  displayName: 'Nightly agent',
  agentIdentityBlueprintId: clientId,
  sponsorIds: [],
  createdByAppId: null,
}
const agent = newAgentIdentity(tenantId, given, systemRuntime)
const sibling = newAgentIdentity(tenantId, given, systemRuntime)

/** A service in which the client of the sample is a blueprint, with two agents. */
async function serviceWithAgents(): Promise<TestService> {
  const issuers = new FederatedIssuers({
    own: {
      find: async (issuer) =>
        issuer === `http://login.test/${tenantId}/v2.0`
          ? { tenantId, tokenVersion: '2.0' }
          : undefined,
      publishedKeys: () => service.options.keys.published(),
    },
    allowedHosts: [],
  })
  const service = await testService({ verifyFederated: issuers.verify })
  await changeClient(service, { blueprint: { sponsorIds: [], inheritablePermissions: [] } })
  const directory = await wholeDirectory(service.store)
  const api = directory.servicePrincipalByAppId(tenantId, apiId)
  const role = directory.applicationByAppId(apiId)?.appRoles[0]
  const part = { tenantId, principalId: agent.id, resourceId: api?.id ?? '' }
  const shared = builtInApis(new Date()).filter(({ appId }) =>
    [graphAppId, tokenExchangeAppId].includes(appId),
  )
  await service.change(
    ...[agent, sibling].map((one) => put('servicePrincipal', one)),
    put('appRoleAssignment', appRoleAssignment({ ...part, appRoleId: role?.id ?? '' })),
    ...shared.flatMap((one: Application) => [
      put('application', newApplication(one)),
      put('servicePrincipal', newServicePrincipal(tenantId, one, systemRuntime)),
    ]),
  )
  return service
}

let service: TestService
let token: string
const exchange = { scope: `${tokenExchangeUri}/.default`, fmi_path: agent.id }

const request = async (form: Record<string, string>) => (await service.token(form)).json()
/** The claims of the token that the agent gets for an API. */
const asAgent = async (more: Record<string, string> = {}) => {
  const { client_secret: _, ...form } = service.form({ client_id: agent.id, ...more })
  const answer = await request({ ...form, ...asProof(token), ...more })
  assert.ok(answer.access_token, JSON.stringify(answer))
  return decodeJwt(answer.access_token)
}

before(async () => {
  service = await serviceWithAgents()
  token = (await request(service.form(exchange))).access_token
})

describe('the tokens of agent identities (entra E194 to E199)', () => {
  it('match the claims in published labs when a blueprint requests them for its agent', async () => {
    const { aio, exp = 0, iat = 0, nbf, rh, uti, xms_ftd, ...claims } = decodeJwt(token)
    const directory = await wholeDirectory(service.store)
    assert.deepEqual(claims, {
      aud: tokenExchangeAppId,
      iss: `http://login.test/${tenantId}/v2.0`,
      azp: clientId,
      azpacr: '1',
      idtyp: 'app',
      oid: directory.servicePrincipalByAppId(tenantId, clientId)?.id,
      sub: claims.sub,
      tid: tenantId,
      ver: '2.0',
      xms_act_fct: '3 9',
      xms_ficinfo: 'CAAQABgAIAAoAjAA',
      xms_idrel: '7 16',
      xms_sub_fct: '9 3',
    })
    assert.match(
      String(claims.sub),
      new RegExp(`^/eid1/c/pub/t/[\\w-]{22}/a/[\\w-]{22}/${agent.id}$`),
    )
    assert.equal(exp - iat, 3900)
    assert.ok([aio, nbf, rh, uti, xms_ftd].every((one) => one !== undefined))
  })

  it("contain the agent's ID and roles, and no agent claims unless the API requests them", async () => {
    const { aio, exp, iat, nbf, rh, uti, xms_ftd, ...claims } = await asAgent()
    assert.deepEqual(claims, {
      aud: `api://${apiId}`,
      iss: `http://sts.test/${tenantId}/`,
      appid: agent.id,
      appidacr: '2',
      idp: `http://sts.test/${tenantId}/`,
      oid: agent.id,
      roles: ['CallHiApiRole'],
      sub: agent.id,
      tid: tenantId,
      ver: '1.0',
    })
  })

  it('identify the blueprint when they are for Microsoft Graph', async () => {
    const claims = await asAgent({ scope: 'https://graph.microsoft.com/.default' })
    assert.partialDeepStrictEqual(claims, {
      app_displayname: 'Nightly agent',
      appid: agent.id,
      idtyp: 'app',
      xms_par_app_azp: clientId,
      xms_act_fct: '3 9 11',
      xms_idrel: '7 16',
      xms_sub_fct: '9 3 11',
      xms_tnt_fct: '3 9',
    })
    assert.equal('roles' in claims, false)
  })

  it('contain the facets that an API of either version requests', async () => {
    const names = ['idtyp', 'xms_par_app_azp', 'xms_act_fct', 'xms_sub_fct', 'xms_tnt_fct']
    const optionalAccessTokenClaims = names.map((name) => ({ name, additionalProperties: [] }))
    for (const requestedAccessTokenVersion of [2, 1] as const) {
      await changeApi(service, { optionalAccessTokenClaims, requestedAccessTokenVersion })
      const claims = await asAgent()
      assert.deepEqual(
        names.map((name) => claims[name]),
        ['app', clientId, '3 9 11', '9 3 11', '3 9'],
      )
      assert.equal(claims[requestedAccessTokenVersion === 2 ? 'azp' : 'appid'], agent.id)
      assert.equal('app_displayname' in claims, false)
    }
    await changeApi(service, { optionalAccessTokenClaims: [], requestedAccessTokenVersion: 1 })
  })

  it('can be requested many times with one token of the blueprint', async () => {
    const [first, second] = [await asAgent(), await asAgent()]
    assert.notEqual(first.uti, second.uti)
  })

  for (const [outcome, proof, code] of [
    ['done', () => token, undefined],
    ['refused', () => 'cut', 50027],
  ] as const)
    it(`record the blueprint and the agent for both requests: ${outcome}`, async () => {
      service.audit.length = 0
      const { client_secret: _, ...form } = service.form({
        client_id: agent.id,
        ...asProof(proof()),
      })
      const answer = await request(form)
      assert.equal(answer.error_codes?.[0], code)
      await request(service.form({ ...exchange, ...(code && { client_secret: 'wrong' }) }))
      assert.deepEqual(
        service.audit.map(({ actor, blueprintId, target, ...one }) => [
          one.outcome,
          actor,
          blueprintId,
          target,
        ]),
        [
          [outcome, agent.id, clientId, code ? null : apiId],
          [outcome, clientId, undefined, agent.id],
        ],
      )
    })

  const wrongUses: [what: string, () => Record<string, string>, code: number][] = [
    ['that a sibling agent uses', () => ({ client_id: sibling.id, ...asProof(token) }), 700213],
    ['that is truncated', () => ({ client_id: agent.id, ...asProof(token.slice(0, -9)) }), 50013],
    ['that the blueprint itself uses', () => ({ client_id: clientId, ...asProof(token) }), 70025],
    [
      'with an upper-case letter in fmi_path',
      () => ({ client_id: agent.id, ...asProof(upperCase) }),
      7002138,
    ],
  ]
  let upperCase: string
  before(async () => {
    const form = service.form({ ...exchange, fmi_path: agent.id.toUpperCase() })
    upperCase = (await request(form)).access_token
  })
  for (const [what, proof, code] of wrongUses)
    it(`cannot be requested with a blueprint's token ${what}: AADSTS${code}`, async () => {
      const { error_codes: codes } = await request({
        grant_type: 'client_credentials',
        scope,
        ...proof(),
      })
      assert.deepEqual(codes, [code])
    })

  it('require fmi_path in the body, because the server ignores the query', async () => {
    const path = `/${tenantId}/oauth2/v2.0/token?fmi_path=${agent.id}`
    const { fmi_path: _, ...form } = service.form(exchange)
    const answer = await service.token(form, { path })
    assert.deepEqual((await answer.json()).error_codes, [82008])
  })

  it('cannot be requested with a repeated fmi_path', async () => {
    const form = `${new URLSearchParams(service.form(exchange))}&fmi_path=${sibling.id}`
    const { error } = await (await service.token(form)).json()
    assert.equal(error, 'invalid_request')
  })

  it('are refused if the blueprint is disabled between the two requests', async () => {
    const directory = await wholeDirectory(service.store)
    const principal = directory.servicePrincipalByAppId(tenantId, clientId)
    assert.ok(principal)
    await service.change(put('servicePrincipal', { ...principal, accountEnabled: false }))
    const form = { grant_type: 'client_credentials', client_id: agent.id, scope }
    assert.deepEqual((await request({ ...form, ...asProof(token) })).error_codes, [7000112])
    await service.change(put('servicePrincipal', principal))
    assert.ok((await request({ ...form, ...asProof(token) })).access_token)
  })
})
