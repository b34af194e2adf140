import type { LabRequest } from './request-log.ts'

/** A rule for correct clients that requests have broken. */
export type ClientMisuse = {
  readonly rule: MisuseRule
  /** One sentence about the rule. */
  readonly summary: string
  /** The requests that show it, the oldest first. */
  readonly requests: readonly LabRequest[]
}

type Rule = {
  readonly summary: string
  /** The requests that break the rule, one list for each case. */
  readonly find: (requests: readonly LabRequest[]) => readonly (readonly LabRequest[])[]
}

const renewalMarginMs = 300_000
const keyRequestsPerMinute = 5
const minPauseMs = 100

const isSameClient = (one: LabRequest, other: LabRequest) =>
  one.endpoint === other.endpoint &&
  one.clientId === other.clientId &&
  one.runId === other.runId &&
  one.headers['user-agent'] === other.headers['user-agent']
const hasSameScope = (one: LabRequest, other: LabRequest) =>
  one.form.scope === other.form.scope && one.form.resource === other.form.resource
const isTransient = ({ status }: LabRequest) => status === 0 || status === 429 || status >= 500

/** The pause after an answer: on the clock of the lab, or in reality, so that tests need not wait. */
const pauseMs = (answered: LabRequest, next: LabRequest) =>
  Math.max(next.startedMs - answered.endedMs, next.at.getTime() - answered.at.getTime())

/** Each request with the earlier ones of the same client, the latest first. */
const pairs = (
  requests: readonly LabRequest[],
  isMisuse: (earlier: LabRequest, request: LabRequest) => boolean,
) =>
  requests.flatMap((request, index) => {
    const earlier = requests.slice(0, index).findLast((one) => isSameClient(one, request))
    return earlier !== undefined && isMisuse(earlier, request) ? [[earlier, request]] : []
  })

const ofTokens = (requests: readonly LabRequest[]) =>
  requests.filter(({ endpoint }) => endpoint === 'token')

const rules = {
  retry_after_ignored: {
    summary: 'A client waits as long as `Retry-After` says (RFC 9110 section 10.2.3).',
    find: (requests) =>
      pairs(
        requests,
        (earlier, request) =>
          earlier.retryAfterSeconds !== undefined &&
          pauseMs(earlier, request) < earlier.retryAfterSeconds * 1000,
      ),
  },
  repeated_without_pause: {
    summary: 'A client pauses before it repeats a request that failed for a moment.',
    find: (requests) =>
      pairs(
        requests,
        (earlier, request) =>
          isTransient(earlier) &&
          earlier.retryAfterSeconds === undefined &&
          pauseMs(earlier, request) < minPauseMs,
      ),
  },
  refusal_repeated: {
    summary: 'A client does not repeat a token request that was refused for good.',
    find: (requests) =>
      pairs(
        ofTokens(requests),
        (earlier, request) =>
          earlier.status >= 400 &&
          !isTransient(earlier) &&
          request.status === earlier.status &&
          pauseMs(earlier, request) < 1000,
      ),
  },
  concurrent_token_requests: {
    summary: 'A client sends one token request at a time for a scope.',
    find: (requests) =>
      pairs(
        ofTokens(requests).toSorted((one, other) => one.startedMs - other.startedMs),
        (earlier, request) => hasSameScope(earlier, request) && request.startedMs < earlier.endedMs,
      ),
  },
  token_not_reused: {
    summary: 'A client uses a token again until shortly before its end.',
    find: (requests) =>
      pairs(
        ofTokens(requests),
        (earlier, request) =>
          hasSameScope(earlier, request) &&
          request.startedMs >= earlier.endedMs &&
          earlier.tokenExpiresAt !== undefined &&
          earlier.tokenExpiresAt.getTime() - request.at.getTime() > renewalMarginMs,
      ),
  },
  expired_token_used: {
    summary: 'A client does not send a token that has expired.',
    find: (requests) =>
      requests
        .filter(({ at, bearerExpiresAt }) => bearerExpiresAt !== undefined && bearerExpiresAt <= at)
        .map((request) => [request]),
  },
  secret_misplaced: {
    summary:
      'A secret is in the form or in `Authorization` of a token request, never in a URL (RFC 6749 section 2.3.1).',
    find: (requests) =>
      requests
        .filter(
          ({ credentialPlace, endpoint, queryNames }) =>
            credentialPlace === 'query' ||
            queryNames.includes('client_secret') ||
            (endpoint !== 'token' && credentialPlace !== 'none'),
        )
        .map((request) => [request]),
  },
  keys_not_cached: {
    summary: `A verifier requests the keys at most ${keyRequestsPerMinute} times a minute.`,
    find: (requests) => {
      const keys = requests.filter(({ endpoint }) => endpoint === 'keys')
      return keys.flatMap((request, index) => {
        const group = keys.slice(Math.max(0, index - keyRequestsPerMinute), index + 1)
        const [first = request] = group
        const isDense =
          group.length > keyRequestsPerMinute &&
          group.every((one) => isSameClient(one, request)) &&
          request.at.getTime() - first.at.getTime() < 60_000
        return isDense ? [group] : []
      })
    },
  },
} as const satisfies Readonly<Record<string, Rule>>

/** The name of a rule. */
export type MisuseRule = keyof typeof rules

/** The rules with their sentences, for the documents. */
export const misuseRules = Object.entries(rules).map(([rule, { summary }]) => ({ rule, summary }))

/** Finds what clients did wrong, from the requests in a log. It is a pure function. */
export const judge = (requests: readonly LabRequest[]): readonly ClientMisuse[] =>
  Object.entries(rules).flatMap(([rule, { summary, find }]: [string, Rule]) =>
    find(requests).map((found) => ({ rule: rule as MisuseRule, summary, requests: found })),
  )
