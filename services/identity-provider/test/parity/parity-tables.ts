import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  graphAppId,
  inertDefaults,
  tenantProperties,
  tokenExchangeAppId,
} from '@greeting/directory'
import {
  application,
  guid,
  servicePrincipal,
  tenant,
} from '../../../../test/fixtures/directory/sample.ts'
import { claimTable } from '../../src/dialect/token/claim-table.ts'
import { tokenVersions } from '../../src/dialect/token/token-versions.ts'
import type { TokenDecision } from '../../src/issuance/token-decision.ts'
import {
  applications,
  servicePrincipals,
} from '../../src/management/graph/directory-objects/entity-sets.ts'
import type { EntitySet } from '../../src/management/odata/entity-set.ts'

const sentOnlyTo = (...receivers: readonly string[]) =>
  Object.keys(claimTable).filter((name) => receivers.includes(claimTable[name]?.sentTo ?? ''))
const requested = sentOnlyTo('requested', 'both')

/** The rows of a table whose columns are separated by tabs, as objects. */
export function readRows<Column extends string>(name: string): Record<Column, string>[] {
  const [head = '', ...rows] = readFileSync(join(import.meta.dirname, name), 'utf8')
    .trimEnd()
    .split('\n')
  const columns = head.split('\t')
  return rows.map((row) => {
    const cells = row.split('\t')
    if (cells.length !== columns.length) throw new Error(`${name} has a broken row: ${row}`)
    const entries = columns.map((column, index) => [column, cells[index] ?? ''])
    return Object.fromEntries(entries) as Record<Column, string>
  })
}

/** A decision for an API that requests every claim, with a client of every kind. */
const decision: TokenDecision = {
  tenant: tenant({
    inertProperties: Object.fromEntries(
      Object.keys(inertDefaults(tenantProperties)).map((name) => [name, name]),
    ),
  }),
  client: {
    application: application(),
    principal: servicePrincipal({
      agentIdentityBlueprintId: guid(1),
      inertProperties: { alternativeNames: ['/subscriptions/1'] },
    }),
  },
  method: 'tls',
  credentialId: '',
  boundTo: 'thumbprint',
  capabilities: ['cp1'],
  resource: {
    requestedAs: 'api://greeting',
    application: application({
      optionalAccessTokenClaims: requested.map((name) => ({ name, additionalProperties: [] })),
    }),
    principal: servicePrincipal(),
  },
  roles: ['CallHiApiRole'],
}
const context = {
  authority: { authUrl: '', issuerUrl: '', issuerUrlV2: '' },
  times: { issuedAt: 0, expiresAt: 0, expiresInSeconds: 0 },
  opaque: { aio: '', rh: '', uti: '', xms_ftd: '' },
}

/** When a claim is in a token; the others always are. */
const conditions: Readonly<Record<string, string>> = {
  cnf: 'for mutual TLS; Entra does not bind tokens of applications',
  ...Object.fromEntries(sentOnlyTo('requested').map((name) => [name, 'when the API requests it'])),
  ...Object.fromEntries(sentOnlyTo('graph').map((name) => [name, 'for Microsoft Graph'])),
  ...Object.fromEntries(
    sentOnlyTo('both').map((name) => [name, 'for Microsoft Graph, and when the API requests it']),
  ),
  roles: 'when the client has roles',
  xms_cc: 'when the API requests it and the client declares one',
  xms_ficinfo: 'for token exchange',
  xms_mirid: 'of a managed identity',
  xms_par_app_azp: 'of an agent, for Microsoft Graph, and when the API requests it',
}

/** Claims of Entra that no token here has. */
const absentClaims: Readonly<Record<string, string>> = {
  scp: 'no user takes part',
  groups: 'there are no groups',
  tenant_ctry: 'a tenant here has no property for its country',
  xms_rd: 'its meaning is not known',
  xms_tpl: 'a tenant here has no property for its language',
}

const decisionFor = (appId: string): TokenDecision => {
  const { application, principal, requestedAs } = decision.resource
  return {
    ...decision,
    resource: { application: { ...application, appId }, principal, requestedAs },
  }
}
/** A built-in API gets claims that other APIs cannot request, so each version has two tokens. */
const decisions = {
  '1.0': [decisionFor(graphAppId), decision],
  '2.0': [decisionFor(tokenExchangeAppId), decision],
}

const claimsOf = (version: '1.0' | '2.0') =>
  decisions[version]
    .flatMap((one) => Object.keys(tokenVersions[version].claims(one, context)))
    .filter((name, index, all) => all.indexOf(name) === index)

type Fact = { readonly fact: string; readonly text: string }

/**
 * The row of each claim: in v1.0 tokens, in v2.0 tokens, when it is sent, its meaning, and the facts that name it.
 *
 * @param facts those about access tokens
 */
export function claimRows(facts: readonly Fact[]): string[][] {
  const [v1, v2] = [claimsOf('1.0'), claimsOf('2.0')]
  const sent = new Set([...v1, ...v2])
  const present = Object.keys(absentClaims).filter((name) => sent.has(name))
  if (present.length > 0) throw new Error(`tokens have ${present}: remove it from absentClaims`)
  const lacking = [...requested, ...sentOnlyTo('graph')].filter((name) => !sent.has(name))
  if (lacking.length > 0) throw new Error(`no sample has ${lacking}: give it a value in decision`)
  const row = (claim: string) => [
    `\`${claim}\``,
    v1.includes(claim) ? 'yes' : 'no',
    v2.includes(claim) ? 'yes' : 'no',
    conditions[claim] ?? (absentClaims[claim] === undefined ? 'always' : absentClaims[claim]),
    claimTable[claim]?.sentence ?? '',
    facts
      .filter(({ text }) => new RegExp(`\\b${claim}\\b`).test(text))
      .map(({ fact }) => fact)
      .join(', '),
  ]
  return [...sent, ...Object.keys(absentClaims)].map(row)
}

/** The properties that the other tables do not describe. */
const others: Readonly<Record<string, string>> = {
  api: 'same; its scopes are kept and shown',
  optionalClaims: 'same; claims for users are kept and shown',
  passwordAuthenticationAllowed: 'an addition',
}

function effectOf(property: string, { properties }: Pick<EntitySet<never>, 'properties'>): string {
  const row = properties[property]
  if (row === undefined) return ''
  if (row.fixed !== undefined) return `fixed: \`${JSON.stringify(row.fixed)}\``
  if (row.inert !== undefined) return 'kept and shown'
  return others[property] ?? 'same'
}

/** The properties of applications and service principals in Microsoft Graph, and what each does here. */
export const settingRows = (): string[][] =>
  [...new Set([applications, servicePrincipals].flatMap((set) => Object.keys(set.properties)))]
    .sort((a, b) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1))
    .map((property) => [
      `\`${property}\``,
      effectOf(property, applications),
      effectOf(property, servicePrincipals),
    ])
