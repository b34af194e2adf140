import { dirname, join } from 'node:path'
import {
  type ClientEvent,
  createGreetingClient,
  createTokenSource,
  type FetchWithToken,
  fetchWithToken,
  type GreetingClient,
  isClientFailure,
  type TokenSource,
} from '@greeting/client'
import { tokenCacheFile } from '@greeting/client/files'
import { CommandFailure } from '../command-failure.ts'
import type { ClientSettings } from './client-settings.ts'

/** The identity provider and the API, as the settings name them, ready to be used. */
export type Connection = {
  readonly tokens: TokenSource
  readonly greetings: GreetingClient
  readonly call: FetchWithToken
  /** Whether the token in use was obtained by a run before this one. */
  readonly isTokenKept: () => boolean
}

export type ConnectionOptions = {
  readonly deadlineMs: number
  readonly onEvent?: (event: ClientEvent) => void
}

function cacheFileOf({ TOKEN_CACHE_FILE, file }: ClientSettings): string | undefined {
  if (TOKEN_CACHE_FILE !== undefined)
    return TOKEN_CACHE_FILE === 'off' ? undefined : TOKEN_CACHE_FILE
  // Beside the settings of the client, in a folder that is its own; nowhere else unasked.
  return file && join(dirname(file), 'tokens.json')
}

/** What the library finds wrong in a setting is a fault of the settings. */
function orBadUsage<Value>(make: () => Value): Value {
  try {
    return make()
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause
    const message = `Invalid client settings: ${cause.message}.`
    throw new CommandFailure('badUsage', message, { cause })
  }
}

/** Makes the token source and the clients that the settings describe. */
export function connect(settings: ClientSettings, options: ConnectionOptions): Connection {
  const { deadlineMs, onEvent } = options
  const { AUTH_URL, TENANT_ID, CLIENT_ID, BASE_URL, scope, credential, given } = settings
  const cacheFile = cacheFileOf(settings)
  let isTokenKept = false
  const watch = (event: ClientEvent) => {
    if (event.type === 'token_obtained') isTokenKept = event.from === 'cache'
    onEvent?.(event)
  }
  return orBadUsage(() => {
    const tokens = createTokenSource({
      authority: `${AUTH_URL}/${encodeURIComponent(TENANT_ID)}`,
      clientId: CLIENT_ID,
      credential: credential.make((name) => given[name] ?? ''),
      scope,
      deadlineMs,
      onEvent: watch,
      ...(cacheFile && { cache: tokenCacheFile(cacheFile) }),
    })
    const api = { baseUrl: BASE_URL, tokens, deadlineMs, onEvent: watch }
    return {
      tokens,
      greetings: createGreetingClient(api),
      call: fetchWithToken(api),
      isTokenKept: () => isTokenKept,
    }
  })
}

/**
 * Does the work, and once more with a new token when a role was missing in one that was kept from a
 * run before: the role may have been granted since.
 */
export async function withCurrentRoles<Value>(
  connection: Connection,
  work: () => Promise<Value>,
): Promise<Value> {
  try {
    return await work()
  } catch (error) {
    const isRoleMissing = isClientFailure(error) && error.code === 'role_missing'
    if (!isRoleMissing || !connection.isTokenKept()) throw error
    await connection.tokens.token({ force: true })
    return work()
  }
}
