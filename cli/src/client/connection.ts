// Folder: The settings, the credentials and the connection of a client.

import { dirname, join } from 'node:path'
import {
  type ApiClient,
  agentIdentity,
  type ClientEvent,
  createApiClient,
  createGreetingClient,
  createTokenSource,
  type GreetingClient,
  isClientFailure,
  type Runtime,
  type TokenSource,
  type Trace,
} from '@greeting/client'
import { tokenCacheFile } from '@greeting/client/files'
import { CommandFailure } from '../exit-codes.ts'
import type { ClientSettings } from './client-settings.ts'

/** The identity provider and the API of the settings, ready for requests. */
export type Connection = {
  readonly tokens: TokenSource
  readonly greetings: GreetingClient
  readonly api: ApiClient
  /** Whether the current token was obtained by an earlier run. */
  readonly isTokenKept: () => boolean
}

type ConnectionOptions = {
  readonly deadlineMs: number
  readonly onEvent?: (event: ClientEvent) => void
  /** Replaces parts of the runtime of `hi` and `hello`. */
  readonly runtime?: Partial<Runtime>
  /** Makes a span for each request; default no spans. */
  readonly trace?: Trace
}

function cacheFileOf({ TOKEN_CACHE_FILE, file }: ClientSettings): string | undefined {
  if (TOKEN_CACHE_FILE !== undefined)
    return TOKEN_CACHE_FILE === 'off' ? undefined : TOKEN_CACHE_FILE
  // By default, next to the settings file of the client. Without a settings file, no cache.
  return file && join(dirname(file), 'tokens.json')
}

/** Reports invalid options of the library as invalid settings. */
function orBadUsage<Value>(make: () => Value): Value {
  try {
    return make()
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause
    const message = `Invalid client settings: ${cause.message}.`
    throw new CommandFailure('bad_usage', message, { cause })
  }
}

/** Creates the token source and the API clients of the settings. */
export function connect(settings: ClientSettings, options: ConnectionOptions): Connection {
  const { deadlineMs, onEvent, runtime = {}, trace } = options
  const { AUTH_URL, TENANT_ID, CLIENT_ID, AGENT_ID, BASE_URL, scope, values } = settings
  const cacheFile = cacheFileOf(settings)
  let isTokenKept = false
  const watch = (event: ClientEvent) => {
    if (event.type === 'token_obtained') isTokenKept = event.from === 'cache'
    onEvent?.(event)
  }
  return orBadUsage(() => {
    const own = settings.credential.make((name) => values[name] ?? '')
    const credential =
      AGENT_ID === undefined
        ? own
        : agentIdentity({ blueprintId: CLIENT_ID, credential: own, agentId: AGENT_ID })
    const tokens = createTokenSource({
      authority: `${AUTH_URL}/${encodeURIComponent(TENANT_ID)}`,
      clientId: AGENT_ID ?? CLIENT_ID,
      credential,
      scope,
      deadlineMs,
      onEvent: watch,
      ...(trace && { trace }),
      ...(cacheFile && { cache: tokenCacheFile(cacheFile) }),
    })
    const api = { baseUrl: BASE_URL, tokens, deadlineMs, onEvent: watch, ...(trace && { trace }) }
    return {
      tokens,
      greetings: createGreetingClient({ ...api, runtime }),
      api: createApiClient(api),
      isTokenKept: () => isTokenKept,
    }
  })
}

/**
 * Runs the work. If a role is missing in a token of an earlier run, it repeats the work with a new
 * token, because the role may have been granted since.
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

/** The result of a job, for a person and for a program. */
export type Outcome = { readonly text: string; readonly json: object }

/** A request that a client makes once or repeatedly. */
export type Job = {
  /** Its name in a log line. */
  readonly title: string
  readonly perform: (connection: Connection, signal?: AbortSignal) => Promise<Outcome>
}

/** Receives the job that a command line describes. */
export type TakeJob<Options = object> = (job: Job, options: Options) => Promise<void>
