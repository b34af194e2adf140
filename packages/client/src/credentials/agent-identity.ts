import { nonEmptyString, objectWith, required, validateOptions } from '../option-rules.ts'
import type { AuthenticationContext, Credential } from './credential.ts'
import { assertionAuthentication } from './federated-assertion.ts'

const exchangeScope = 'api://AzureADTokenExchange/.default'
// The clocks of this machine and of the server may differ by some minutes.
const marginSeconds = 300

/** The options of `agentIdentity`. */
export type AgentIdentityOptions = {
  /** Application ID of the blueprint. */
  readonly blueprintId: string
  /** The credential of the blueprint. */
  readonly credential: Credential
  /** ID of the agent identity. It is also the client ID of the token source. */
  readonly agentId: string
}

type ExchangeToken = { readonly token: string; readonly endSeconds: number }

/**
 * An agent identity of Microsoft Entra ID, which has no credential. Its blueprint obtains an
 * exchange token for it, and that token authenticates the agent. The exchange token stays in the memory
 * of this process. A refused exchange token is replaced once.
 *
 * @throws {TypeError} lists every invalid option
 * @example
 * const agentId = '5e1f0c37-9a4b-4d2e-8c61-0b7f3a9d2e54'
 * const blueprintId = '9b1f6c52-63a8-4f0a-8f5c-1d7a3e0f8a01'
 * const credential = agentIdentity({ blueprintId, credential: clientSecret('its secret'), agentId })
 */
export function agentIdentity(options: AgentIdentityOptions): Credential {
  validateOptions('agentIdentity', options, {
    blueprintId: required(nonEmptyString),
    credential: required(objectWith('authentications', 'identity')),
    agentId: required(nonEmptyString),
  })
  const { blueprintId, credential, agentId } = options
  const kept = new Map<string, ExchangeToken>()
  const pending = new Map<string, Promise<ExchangeToken>>()

  async function request(context: AuthenticationContext): Promise<ExchangeToken> {
    const { tokenEndpoint, nowSeconds, otherToken } = context
    const wanted = { clientId: blueprintId, scope: exchangeScope, fmiPath: agentId }
    const { token, lifetimeSeconds } = await otherToken(wanted, credential)
    const obtained = { token, endSeconds: nowSeconds + lifetimeSeconds }
    kept.set(tokenEndpoint, obtained)
    return obtained
  }

  /** The kept token, or a new one. All callers share one request in flight. */
  async function obtain(context: AuthenticationContext): Promise<ExchangeToken> {
    const { tokenEndpoint, nowSeconds } = context
    const found = kept.get(tokenEndpoint)
    if (found && nowSeconds < found.endSeconds - marginSeconds) return found
    const inFlight =
      pending.get(tokenEndpoint) ?? request(context).finally(() => pending.delete(tokenEndpoint))
    pending.set(tokenEndpoint, inFlight)
    return inFlight
  }

  return {
    kind: 'assertion',
    clientId: agentId,
    identity: () => JSON.stringify(['agent', blueprintId, credential.identity()]),
    authentications: async (context) => {
      const { token } = await obtain(context)
      const discard = () => {
        if (kept.get(context.tokenEndpoint)?.token === token) kept.delete(context.tokenEndpoint)
      }
      return [{ ...assertionAuthentication(token), discard }]
    },
  }
}
