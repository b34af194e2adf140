import {
  graphAppId,
  managedIdentityOf,
  requestedClaims,
  tokenExchangeAppId,
} from '@greeting/directory'
import { exchangeMark } from '../../issuance/exchanged-token.ts'
import type { TokenDecision } from '../../issuance/token-decision.ts'
import { claimTable } from './claim-table.ts'

const namesSentTo = (receiver: 'requested' | 'graph') =>
  Object.entries(claimTable)
    .filter(([, { sentTo }]) => sentTo === receiver || sentTo === 'both')
    .map(([name]) => name)

const requestable: ReadonlySet<string> = new Set(namesSentTo('requested'))
const allOfGraph = namesSentTo('graph')

/** The claims of a token for an agent, besides those that the API requests (entra E196). */
const forAgent = ['xms_act_fct', 'xms_idrel', 'xms_sub_fct']

/** Adds the claims that only some APIs and clients get. All are in alphabetical order, as in Entra. */
export function withOptionalClaims(decision: TokenDecision, usual: object): object {
  const { agent, boundTo, client, resource } = decision
  const { appId } = resource.application
  const requested = requestedClaims(resource.application)
    .map(({ name }) => name)
    .filter((name) => requestable.has(name))
  if (agent !== undefined) requested.push(...forAgent)
  const added: Record<string, unknown> = { xms_mirid: managedIdentityOf(client.principal) }
  for (const name of appId === graphAppId ? allOfGraph : requested)
    added[name] = claimTable[name]?.value?.(decision)
  if (appId === tokenExchangeAppId) added.xms_ficinfo = exchangeMark(decision)
  // RFC 8705 section 3.1
  if (boundTo !== undefined) added.cnf = { 'x5t#S256': boundTo }
  const entries = Object.entries(added).filter(([, value]) => value !== undefined)
  if (entries.length === 0) return usual
  const sorted = [...Object.entries(usual), ...entries].sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(sorted)
}
