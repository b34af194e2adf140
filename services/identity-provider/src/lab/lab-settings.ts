import { isIPv4 } from 'node:net'
import { expected } from '@greeting/http-service'
import { z } from 'zod'

type LabSettings = {
  readonly LAB: 'on' | 'off'
  readonly LAB_ANY_ADDRESS: 'yes' | 'no'
  readonly DATABASE_URL?: string | undefined
  readonly HOST: string
  readonly AUTH_URL?: string | undefined
  readonly HTTPS_AUTH_URL?: string | undefined
  readonly REGISTRATIONS?: string | undefined
}

/** The schema of a client secret that a test chooses. A header and a form carry it without encoding. */
export const labSecret = z
  .string()
  .regex(/^[!-~]{16,128}$/, expected('16 to 128 printable ASCII characters, without spaces'))

const isLoopback = (host: string) =>
  ['localhost', '::1', '[::1]'].includes(host) ||
  host.endsWith('.localhost') ||
  (isIPv4(host) && host.startsWith('127.'))

/** Returns why the lab may not be on: it is for one process on this machine. Other addresses need a second setting. */
export function labFault(value: LabSettings): string | undefined {
  if (value.LAB === 'off') return undefined
  if (value.DATABASE_URL !== undefined) return 'expected off, because a lab has no shared database'
  const hosts = [value.AUTH_URL, value.HTTPS_AUTH_URL].map((url) => url && new URL(url).hostname)
  const isLocal = [value.HOST, ...hosts].every((host) => host === undefined || isLoopback(host))
  if (isLocal || value.LAB_ANY_ADDRESS === 'yes') return undefined
  return 'expected off, because HOST, AUTH_URL or HTTPS_AUTH_URL is not a loopback address. LAB_ANY_ADDRESS=yes permits it'
}

/** Returns why a secret may not be chosen: it may be guessed, so it needs a lab, and only a seed creates it. */
export function labSecretFault({ LAB, REGISTRATIONS }: LabSettings): string | undefined {
  if (LAB === 'off') return 'expected no value, because LAB is off: a chosen secret is for tests'
  return REGISTRATIONS === undefined
    ? 'expected no value, because REGISTRATIONS is not set'
    : undefined
}
