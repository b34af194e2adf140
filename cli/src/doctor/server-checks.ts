import type { ClientSettings } from '../client/client-settings.ts'
import { type Check, type CheckResult, right, unknown, warning, wrong } from './check-result.ts'
import { networkFault } from './network-fault.ts'
import type { PlainAnswer, Probes, Tried } from './probes.ts'

const settingsOf = ({ settings }: Probes): ClientSettings | undefined =>
  'value' in settings ? settings.value : undefined

const notAsked = unknown('not tried')

function judgeReach(tried: Tried<PlainAnswer> | undefined, url: string | undefined): CheckResult {
  if (tried === undefined || url === undefined) return notAsked
  if ('value' in tried) return right(`${new URL(url).origin} answers`)
  const { says, mend, isTls } = networkFault(tried.error)
  if (isTls) return right(`${new URL(url).origin} can be reached`)
  return wrong('unreachable', `${url} cannot be reached: ${says}`, mend)
}

function judgeTls(tried: Tried<PlainAnswer> | undefined, url: string | undefined): CheckResult {
  if (tried === undefined || url === undefined) return notAsked
  if (url.startsWith('http:')) return right('not needed: http that stays on this machine')
  if ('value' in tried) return right('the certificate is trusted')
  const { says, mend, isTls } = networkFault(tried.error)
  return isTls ? wrong('unreachable', `${url} is not trusted: ${says}`, mend) : notAsked
}

function parse(body: string): { readonly [name: string]: unknown } {
  try {
    const value: unknown = JSON.parse(body)
    return typeof value === 'object' && value !== null ? { ...value } : {}
  } catch {
    return {}
  }
}

const toleratedSkewSeconds = 60
const harmfulSkewSeconds = 300

/** Reachability, trust, discovery and clock of the identity provider. */
export const authorityChecks: readonly Check[] = [
  {
    step: 'identity provider',
    judge: (facts) => judgeReach(facts.authority, settingsOf(facts)?.AUTH_URL),
  },
  { step: 'its TLS', judge: (facts) => judgeTls(facts.authority, settingsOf(facts)?.AUTH_URL) },
  {
    step: 'discovery',
    judge: (facts) => {
      const settings = settingsOf(facts)
      if (settings === undefined || !facts.authority || 'error' in facts.authority) return notAsked
      const { status, body } = facts.authority.value
      const { token_endpoint: found, error_description: complaint } = parse(body)
      const expected = `${settings.AUTH_URL}/${settings.TENANT_ID}/oauth2/v2.0/token`
      if (status === 200 && typeof found === 'string' && URL.canParse(found)) {
        // A tenant that was given by its domain is named by its GUID in the document.
        const isSame = new URL(found).origin === new URL(expected).origin
        if (isSame) return right(`the tenant's token endpoint is ${found}`)
        const says = `the document names another server for tokens: ${found}`
        return warning(says, 'Set AUTH_URL to the origin that the document names.')
      }
      const reason =
        typeof complaint === 'string' ? complaint.slice(0, 200) : `HTTP status ${status}`
      const says = `the tenant ${settings.TENANT_ID} has no discovery document there: ${reason}`
      return wrong('notAuthenticated', says, 'Check TENANT_ID and AUTH_URL.')
    },
  },
  {
    step: 'clock',
    judge: ({ authority }) => {
      const skew = authority && 'value' in authority ? authority.value.skewSeconds : undefined
      if (skew === undefined) return unknown('the identity provider does not tell its time')
      const size = Math.abs(skew)
      if (size <= toleratedSkewSeconds)
        return right(`within ${Math.max(size, 1)} s of the identity provider's`)
      const says = `${size} s ${skew > 0 ? 'behind' : 'ahead of'} the identity provider's`
      const mend = 'Set the clock of this machine, best by NTP.'
      return size < harmfulSkewSeconds ? warning(says, mend) : wrong('failed', says, mend)
    },
  },
]

/** Reachability and trust of the API. */
export const apiChecks: readonly Check[] = [
  { step: 'API', judge: (facts) => judgeReach(facts.health, settingsOf(facts)?.BASE_URL) },
  { step: 'its TLS', judge: (facts) => judgeTls(facts.health, settingsOf(facts)?.BASE_URL) },
]
