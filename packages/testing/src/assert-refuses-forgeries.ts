import type { Forgery, ForgeryName } from '@greeting/identity-provider/lab'

/** Calls the API under test with a bearer token. Only the status of the response is used. */
export type FetchYourApi = (
  token: string,
) => Promise<{ readonly status: number }> | { readonly status: number }

/** The response of an API to one hostile token. */
export type ForgeryResult = Omit<Forgery<ForgeryName>, 'token'> & {
  /** The status of the answer; 0 when the call threw an error. */
  readonly status: number
  /** `refused` is a status from 400 to 499. `failed` is any other, but for 200 to 299. */
  readonly outcome: 'refused' | 'accepted' | 'failed'
}

/** The error of an API that accepts hostile tokens or fails on them. The message is a table. */
export class ForgeriesAcceptedError extends Error {
  readonly code = 'forgeries_accepted'
  override readonly name = 'ForgeriesAcceptedError'
  /** The results that are not `refused`. */
  readonly results: readonly ForgeryResult[]

  constructor(results: readonly ForgeryResult[], total: number) {
    const rows = results.map(
      ({ name, status, section, reason }) =>
        `${name.padEnd(32)} ${String(status).padEnd(6)} ${section.padEnd(38)} ${reason}`,
    )
    const heading = `${'token'.padEnd(32)} status ${'section'.padEnd(38)} why it must be refused`
    super(
      `The API did not refuse ${results.length} of ${total} hostile tokens:\n${[heading, ...rows].join('\n')}`,
    )
    this.results = results
  }
}

/** The error of an API that refuses a genuine token. Its refusals of hostile tokens then prove nothing. */
export class GenuineTokenRefusedError extends Error {
  readonly code = 'genuine_token_refused'
  override readonly name = 'GenuineTokenRefusedError'

  constructor(status: number) {
    super(`The API answered status ${status} to a genuine token, so its refusals prove nothing`)
  }
}

/**
 * Calls an API with a genuine token, and then with each hostile token.
 *
 * @throws {GenuineTokenRefusedError} genuine_token_refused when the first answer is not 2xx
 * @example
 * const results = await tryForgeries({ genuine, forgeries }, fetchYourApi)
 */
export async function tryForgeries(
  tokens: { readonly genuine: string; readonly forgeries: readonly Forgery<ForgeryName>[] },
  fetchYourApi: FetchYourApi,
): Promise<readonly ForgeryResult[]> {
  const { status } = await fetchYourApi(tokens.genuine)
  if (status < 200 || status > 299) throw new GenuineTokenRefusedError(status)
  const results: ForgeryResult[] = []
  for (const { token, ...forgery } of tokens.forgeries) {
    const answered = await statusOf(token, fetchYourApi)
    results.push({ ...forgery, status: answered, outcome: outcomeOf(answered) })
  }
  return results
}

/**
 * Checks that an API refuses each hostile token, and accepts a genuine one.
 *
 * @param except names of forgeries that the API may accept
 * @throws {ForgeriesAcceptedError} forgeries_accepted with a table
 * @throws {GenuineTokenRefusedError} genuine_token_refused when the API accepts no token at all
 * @example
 * await assertRefusesForgeries({ genuine, forgeries }, fetchYourApi)
 */
export async function assertRefusesForgeries(
  tokens: Parameters<typeof tryForgeries>[0],
  fetchYourApi: FetchYourApi,
  { except = [] }: { readonly except?: readonly ForgeryName[] } = {},
): Promise<void> {
  const results = await tryForgeries(tokens, fetchYourApi)
  const wrong = results.filter(
    ({ name, outcome }) => outcome !== 'refused' && !except.includes(name),
  )
  if (wrong.length > 0) throw new ForgeriesAcceptedError(wrong, results.length)
}

async function statusOf(token: string, fetchYourApi: FetchYourApi): Promise<number> {
  try {
    return (await fetchYourApi(token)).status
  } catch {
    return 0
  }
}

function outcomeOf(status: number): ForgeryResult['outcome'] {
  if (status >= 200 && status <= 299) return 'accepted'
  return status >= 400 && status <= 499 ? 'refused' : 'failed'
}
